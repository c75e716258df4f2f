// Adds to pages that work without it: a key for the search box, keys for the menu, copying, confirmation, live jobs.

const typing = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

const jumps = { o: "/", p: "/prompt", s: "/search", b: "/blocks", e: "/entries", c: "/conversations",
  m: "/memories", n: "/nodes", t: "/stores", a: "/activity", j: "/jobs", r: "/proposals", h: "/hygiene" };
let jumping = false;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && location.hash === "#menu") { location.hash = "#main"; return; }
  if (typing(event.target)) return;
  if (event.key === "/") {
    const box = document.querySelector("main input[type=search]") ?? document.getElementById("find");
    if (box) { event.preventDefault(); box.focus(); box.select(); }
  } else if (jumping && jumps[event.key]) {
    location.assign(jumps[event.key]);
  }
  jumping = event.key === "g";
});

for (const block of document.querySelectorAll(".paste")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
  });
  block.append(button);
}

for (const form of document.querySelectorAll("form[data-ask]")) {
  form.addEventListener("submit", (event) => { if (!confirm(form.dataset.ask)) event.preventDefault(); });
}

// A part of a page that names a pause in seconds is fetched again until it no longer does.
const watched = document.querySelector("[data-again]");
if (watched) {
  const again = async (part) => {
    const reply = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!reply.ok || reply.redirected) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = document.importNode(page.getElementById(part.id), true);
    part.replaceWith(fresh);
    if (fresh.dataset.again) setTimeout(again, fresh.dataset.again * 1000, fresh);
  };
  setTimeout(again, watched.dataset.again * 1000, watched);
}
