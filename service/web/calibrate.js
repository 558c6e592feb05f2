// The page of a calibration: it shows what is to be done and passes on the answers.

import { Board } from "./board.js";

const LOOK_MS = 250;

const $ = (id) => document.getElementById(id);
let board = null;

/** Sets text only where it differs: a live region would be read aloud again. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

async function api(body) {
  const request = body
    ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
    : {};
  // The service's token, where it has one, stands in this page's own address.
  const answer = await fetch(`api/calibration${location.search}`, request);
  const plain = await answer.json();
  if (!answer.ok) throw new Error(plain.error);
  return plain;
}

function show(now) {
  const holes = now.labels.length;
  board ??= new Board($("board"), now.layout, now.labels);
  const lamp = { colour: now.findings.length ? "red" : "blue", pattern: now.answers.length ? "slow" : "steady" };
  const lamps = Array.from({ length: holes }, (_, hole) => (now.holes.includes(hole) ? lamp : undefined));
  board.show({ live: Array(holes).fill(0) }, lamps);
  write($("prompt"), now.text);
  write($("sensor"), now.sensor);
  $("progress").max = now.steps;
  $("progress").value = now.step;
  $("stop").hidden = !now.stops || Boolean(now.result);
  $("back").hidden = !now.stops || !now.result;
  for (const button of document.querySelectorAll("[data-answer]")) {
    button.hidden = !now.answers.includes(button.dataset.answer);
  }
  if (now.result && $("result").hidden) {
    $("rows").replaceChildren(...now.labels.map((label, cell) => row(label, now.result, cell)));
    $("result").hidden = false;
  }
}

function row(label, result, cell) {
  const tr = document.createElement("tr");
  const noise = result.cell_noise[cell] / result.seed_mass.mean;
  for (const text of [label, result.counts_per_gram[cell].toFixed(0), noise.toFixed(3), result.rate[cell].toFixed(1)]) {
    tr.append(Object.assign(document.createElement("td"), { textContent: text }));
  }
  return tr;
}

async function said(deed) {
  try {
    await deed();
    show(await api());
    $("alert").hidden = true;
    return true;
  } catch (error) {
    $("alert").textContent = error instanceof TypeError ? "The calibration has ended." : error.message;
    $("alert").hidden = false;
    return false;
  }
}

for (const button of document.querySelectorAll("[data-answer]")) {
  button.addEventListener("click", () => said(() => api({ answer: button.dataset.answer })));
}

$("stop").addEventListener("click", () => said(async () => {
  await api({ answer: "stop" });
  location.assign($("back").href);
}));
$("back").href = `./${location.search}`;

async function look() {
  await said(() => {});
  setTimeout(look, LOOK_MS);
}
look();
