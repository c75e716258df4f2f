// A chat with memory, for any server that speaks OpenAI's chat protocol (a local one, say):
//
//   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MODEL=llama3 node examples/chat.mjs ana first-talk "Which tea do I like?"
//
// Before the model is asked, the context of the message is put into the prompt; afterwards both messages are appended to the
// session, from which Holdfast learns.

import { Client } from "@holdfast/client";

const [user, session, said] = process.argv.slice(2);
if (!user || !session || !said) {
  console.error("usage: chat.mjs USER SESSION MESSAGE");
  process.exit(2);
}

const memory = new Client().scope({ user, session });
const context = await memory.context(said, { max_tokens: 4_000 });

const reply = await fetch(`${process.env.OPENAI_BASE_URL ?? "http://127.0.0.1:11434/v1"}/chat/completions`, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    Authorization: `Bearer ${process.env.OPENAI_API_KEY ?? "none"}`,
  },
  body: JSON.stringify({ model: process.env.MODEL ?? "llama3", stream: true, messages: context.toOpenAI(said) }),
});
if (!reply.ok || reply.body === null) {
  console.error(`the model's server answered ${reply.status}: ${await reply.text()}`);
  process.exit(1);
}

let answer = "";
for await (const event of eventsIn(reply.body)) {
  const text = event.choices?.[0]?.delta?.content ?? "";
  process.stdout.write(text);
  answer += text;
}
process.stdout.write("\n");

await memory.sessions.append([
  { role: "user", content: said },
  { role: "assistant", content: answer },
]);

/** The JSON of each `data:` line of an event stream, up to `[DONE]`. */
async function* eventsIn(body) {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.startsWith("data:") ? line.slice("data:".length).trim() : "";
      if (data === "[DONE]") {
        return;
      }
      if (data !== "") {
        yield JSON.parse(data);
      }
    }
  }
}
