// Reviews proposals by keyboard: j and k move, a accepts, r rejects, e edits. Each decision is sent as its form would be.

const cards = () => [...document.querySelectorAll(".proposal")];
const current = () => document.activeElement?.closest(".proposal");

const move = (step) => {
  const all = cards();
  const at = all.indexOf(current());
  const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
};

const decide = async (card, form) => {
  const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (!reply.ok || !new URL(reply.url).pathname.startsWith("/proposals")) {
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const word = document.createElement("p");
    word.className = "problem";
    word.setAttribute("role", "alert");
    word.textContent = page.querySelector(".problem")?.textContent ?? "This did not work: open the page again.";
    card.append(word);
    return;
  }
  const done = document.createElement("p");
  done.className = "notice";
  done.setAttribute("role", "status");
  done.textContent = form.dataset.key === "a" ? "Accepted." : "Rejected.";
  card.removeAttribute("data-open");
  card.querySelectorAll("form, details").forEach((each) => each.remove());
  card.append(done);
  move(1);
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") current()?.focus();
    return;
  }
  const card = current();
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (card && event.key === "e") {
    const edit = card.querySelector("details[data-key=e]");
    if (!edit) return;
    event.preventDefault();
    edit.open = true;
    edit.querySelector("textarea").focus();
  } else if (card?.hasAttribute("data-open") && (event.key === "a" || event.key === "r")) {
    event.preventDefault();
    decide(card, card.querySelector(`form[data-key=${event.key}]`));
  }
});

if (!current() && location.hash === "") cards()[0]?.focus({ preventScroll: true });
