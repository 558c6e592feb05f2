// The page: it draws what the server says and sends on what people do. It knows no rules.

import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { Corners } from "./corners.js";
import { clockInWords, mendsInWords, positions, reasonsInWords, tell, turnInWords, verdict } from "./story.js";

const EVENTS = [
  "game_started", "turn", "touch", "sowing", "move", "capture_due", "capture_done", "violation", "mended",
  "question", "ruling", "takeback", "pass", "round_over", "game_over", "sensor_lost", "sensor_back", "recount",
  "clock_set", "clock", "press", "flag",
];
const RETRY_MS = 2000;
const ALERT_MS = 8000;
const PICTURE_MS = 1000;

const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");

/** Sets text only where it differs: a live region would be read aloud again. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function address(path, query = {}) {
  const parameters = new URLSearchParams(token ? { ...query, token } : query).toString();
  return parameters ? `api/${path}?${parameters}` : `api/${path}`;
}

async function api(path, body) {
  const request = body === undefined
    ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(address(path), request);
  const plain = await answer.json();
  if (!answer.ok) throw new Error(plain.error);
  return plain;
}

let silence = 0;
function complain(error) {
  $("alert").textContent = error.message;
  $("alert").hidden = false;
  clearTimeout(silence);
  silence = setTimeout(() => { $("alert").hidden = true; }, ALERT_MS);
}

/** For handlers of clicks: what goes wrong is said on the page. */
const said = (deed) => async (...values) => {
  try {
    await deed(...values);
  } catch (error) {
    complain(error);
  }
};

// --- the table ---------------------------------------------------------------------------------------

let table = null; // what /api/state says, kept fresh by the events
let board = null;
let source = null;
const clock = new Clock($("clock"), said((player) => api("inputs", { input: "press", player })));

const play = said(async (pit) => {
  const kind = $("mistake").value;
  $("mistake").value = "";
  await api("hand", kind ? { do: "mistake", kind, pit } : { do: "play", pit });
});

async function open() {
  source?.close();
  try {
    table = await api("state");
  } catch (error) {
    complain(error);
    setTimeout(open, RETRY_MS);
    return;
  }
  board = new Board($("board"), table.layout, table.labels, table.simulated ? play : null);
  table.name = (hole) => board.name(hole);
  drawHand();
  drawMoves();
  drawNow();
  follow();
}

function follow() {
  source = new EventSource(address("events", { after: `${table.game_id}:${table.seq}` }));
  source.onopen = () => document.body.classList.remove("offline");
  source.onerror = () => {
    document.body.classList.add("offline");
    // The browser tries again by itself, unless the server has refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MS);
  };
  source.addEventListener("view", (message) => {
    const now = JSON.parse(message.data);
    if (now.game_id !== table.game_id) return void open();
    Object.assign(table, now);
    drawNow();
  });
  for (const kind of EVENTS) {
    source.addEventListener(kind, (message) => {
      const event = JSON.parse(message.data);
      if (event.game_id !== table.game_id) return void open();
      if (event.seq <= table.seq) return;
      table.seq = event.seq;
      table.events.push(event);
      drawMoves();
    });
  }
}

function drawNow() {
  const { view } = table;
  board.show(view, table.lamps);
  const standing = view.standing.length ? `, ${view.standing.join(" : ")}` : "";
  write($("title"), view.round ? `${table.title}, round ${view.round}${standing}` : table.title);
  $("end").hidden = !view.round || view.phase === "over";
  write($("turn"), turnInWords(view, table.players));
  $("turn").dataset.player = view.player ?? "";
  drawVerdict();
  drawChoices();
  drawArbiter();
  const turn = table.events.findLast((event) => event.event === "turn");
  $("swap").hidden = view.phase !== "waiting" || !turn?.legal.includes("swap");
  drawList($("notes"), table.notes);
  clock.show(table.clock, table.players);
  write($("clock-note"), clockInWords(table.clock));
  $("clock-stop").hidden = !isTimed();
  write($("clock-stop"), table.clock?.stops.includes("paused") ? "Let the clock run" : "Stop the clock");
  write($("port"), table.port);
  write($("sensor"), table.sensor);
  $("camera").hidden = !table.camera;
  write($("lights"), table.lights);
  if (table.hand) {
    $("auto").checked = table.hand.auto;
    if (document.activeElement !== $("speed")) $("speed").value = String(table.hand.speed);
    $("mend").disabled = !view.mend.length && !view.due.length;
  }
}

/** The camera's picture is loaded anew while somebody looks at it. */
function drawPicture() {
  if (document.hidden) return;
  if ($("corners").open) $("corners-picture").src = address("picture", { plain: true, at: Date.now() });
  else if ($("camera").open) $("picture").src = address("picture", { at: Date.now() });
}

const corners = new Corners(async (points, arbiter) => {
  const { keep } = await api("camera/corners", { corners: points, arbiter });
  write($("corners-keep"), keep);
  $("corners-keep").hidden = false;
});

function drawVerdict() {
  const { tone, text } = verdict(table.view, tell(table.events, table), table);
  $("verdict").dataset.tone = tone;
  write($("verdict-text"), text);
  drawList($("mends"), mendsInWords(table.view, table.name));
  const reasons = reasonsInWords((table.view.violation ?? table.view.question)?.reasons, table.name);
  $("why").hidden = !reasons.length;
  drawList($("reasons"), reasons);
}

function drawList(list, lines) {
  if (list.dataset.lines === JSON.stringify(lines)) return;
  list.dataset.lines = JSON.stringify(lines);
  list.replaceChildren(...lines.map((line) => make("li", { textContent: line })));
}

/** What the players may answer now: the words of each button, and what it sends. */
function choicesNow({ question, phase, policy, deciders, violation, follows }) {
  if (question) return question.choices.map((text, choice) => [text, { input: "answer", choice }]);
  const accept = [`Accept it: ${table.players[follows] ?? "go on"} to move`, { input: "accept" }];
  if (phase === "decide" && deciders.length) return [accept, ["Have it put right", { input: "correct" }]];
  return phase === "mend" && policy === "warn" && violation ? [accept] : [];
}

function drawChoices() {
  const choices = choicesNow(table.view);
  if ($("choices").dataset.choices === JSON.stringify(choices)) return;
  $("choices").dataset.choices = JSON.stringify(choices);
  $("choices").replaceChildren(...choices.map(([textContent, input]) => {
    const button = make("button", { type: "button", textContent });
    button.addEventListener("click", said(() => api("inputs", input)));
    return button;
  }));
}

/** Whether there is a clock, and it is on. */
const isTimed = () => table.clock && !table.clock.stops.includes("over");

function drawArbiter() {
  const { view } = table;
  const asked = view.phase === "decide" && !view.deciders.length;
  // Opened once for each thing to rule on; it may be closed again.
  if (asked && $("arbiter").dataset.asked !== "true") $("arbiter").open = true;
  $("arbiter").dataset.asked = asked;
  write($("arbiter-accept"), view.phase === "setup" ? "Begin from what lies there" : "Accept the board as it lies");
  $("arbiter-accept").disabled = view.phase === "over" || view.phase === "lost";
  $("arbiter-correct").hidden = view.phase !== "decide";
  $("arbiter-takeback").hidden = !view.locked;
  $("arbiter-calibrate").hidden = !table.calibrates;
  $("takeback").hidden = view.locked;
  $("arbiter-word-row").hidden = !table.arbiter_has_word;
  $("arbiter-clock").hidden = !isTimed();
  const names = JSON.stringify(table.players);
  if ($("arbiter-player").dataset.names === names) return;
  $("arbiter-player").dataset.names = names;
  $("arbiter-player").replaceChildren(
    make("option", { value: "", textContent: "as it follows" }),
    ...table.players.map((textContent, value) => make("option", { value, textContent })),
  );
  $("arbiter-clock-player").replaceChildren(
    ...table.players.map((textContent, value) => make("option", { value, textContent })),
  );
}

/** What the arbiter says: with the word, if there is one. */
const ruled = (input) => said(async () => {
  const player = $("arbiter-player").value;
  const more = input === "accept" && player !== "" ? { player: Number(player) } : {};
  await api("inputs", { input, arbiter: $("arbiter-word").value, ...more });
  $("arbiter-player").value = "";
});

function drawMoves() {
  const list = $("moves");
  fillMoves(list, tell(table.events, table));
  list.scrollTop = list.scrollHeight;
}

function fillMoves(list, rows) {
  list.replaceChildren(...rows.map((row) => {
    const item = make("li", { className: row.kind });
    item.dataset.seq = row.seq;
    if (row.undone) item.classList.add("undone");
    if (row.kind === "move") {
      item.append(
        make("span", { className: "number", textContent: row.number }),
        make("span", { className: "who", textContent: row.who }),
        make("strong", { textContent: row.text }),
      );
      if (row.detail) item.append(make("span", { className: "detail", textContent: row.detail }));
      if (row.reasons.length) item.append(make("span", { className: "detail", textContent: "why?", title: row.reasons.join("\n") }));
    } else {
      item.append(make("strong", { textContent: row.text }));
      if (row.kind === "violation") {
        item.append(make("em", { textContent: row.mended || "open" }));
        item.classList.toggle("mended", Boolean(row.mended));
      }
      if (row.detail) item.append(make("span", { className: "detail", textContent: row.detail }));
    }
    return item;
  }));
}

function drawHand() {
  $("simulation").hidden = !table.simulated;
  if (!table.hand) return;
  const first = $("mistake").options[0];
  $("mistake").replaceChildren(first, ...table.hand.mistakes.map((kind) =>
    make("option", { value: kind, textContent: kind.replaceAll("_", " ") })));
  const speed = String(table.hand.speed);
  if (![...$("speed").options].some((option) => option.value === speed)) {
    $("speed").append(make("option", { value: speed, textContent: `${speed} ×` }));
  }
}

$("auto").addEventListener("change", said((event) => api("hand", { do: "auto", on: event.target.checked })));
$("speed").addEventListener("change", said((event) => api("hand", { do: "speed", factor: Number(event.target.value) })));
$("mend").addEventListener("click", said(() => api("hand", { do: "mend" })));
for (const button of document.querySelectorAll("[data-seconds]")) {
  button.addEventListener("click", said(() => api("inputs", {
    input: "give", player: Number($("arbiter-clock-player").value), seconds: Number(button.dataset.seconds),
    arbiter: $("arbiter-word").value,
  })));
}
$("clock-stop").addEventListener("click", said(() =>
  api("inputs", { input: table.clock.stops.includes("paused") ? "resume" : "pause" })));
$("arbiter-calibrate").addEventListener("click", said(async () => {
  await api("calibration", { answer: "begin", arbiter: $("arbiter-word").value });
  location.assign(`calibrate.html${location.search}`);
}));
for (const input of ["accept", "correct", "takeback"]) $(`arbiter-${input}`).addEventListener("click", ruled(input));
for (const button of document.querySelectorAll("[data-input]")) {
  button.addEventListener("click", said(() => api("inputs", { input: button.dataset.input })));
}

// --- a new game --------------------------------------------------------------------------------------

let rules = [];

function drawOptions() {
  const chosen = rules.find((one) => one.game === $("new-kind").value);
  write($("new-about"), chosen.text);
  $("new-rounds").hidden = !chosen.rounds;
  $("new-options").replaceChildren(...chosen.options.map((option) => {
    // A list of numbers has no values to choose from: it is written.
    const field = option.values === null
      ? make("input", { name: option.name, value: option.default, pattern: option.pattern })
      : make("select", { name: option.name }, ...option.values.map((value, index) =>
        make("option", {
          value: index, textContent: typeof value === "boolean" ? (value ? "yes" : "no") : value,
          selected: value === option.default,
        })));
    return make("label", { className: "row", title: option.text },
      make("span", { textContent: option.name.replaceAll("_", " ") }), field);
  }));
}

/** The dialog's clock, as it is on the table. */
function drawTiming() {
  const times = [...new Set(table?.clock?.times ?? [])];
  $("new-clock").value = times.length ? "other" : "";
  $("new-time").value = times.length ? (times.length > 1 ? table.clock.times : times).join(" ") : "5:00+3";
  $("new-switch").value = table?.clock?.switch ?? "move";
  $("new-flag").value = table?.clock?.flag ?? "lose";
  $("new-timing").hidden = !times.length;
}

/** What is asked for: nothing for no clock. */
function timing() {
  if (!$("new-clock").value) return {};
  return { time: $("new-time").value.trim().split(/\s+/), switch: $("new-switch").value, flag: $("new-flag").value };
}

$("new-clock").addEventListener("change", () => {
  const { value } = $("new-clock");
  $("new-timing").hidden = !value;
  if (value && value !== "other") $("new-time").value = value;
});
$("open-new").addEventListener("click", said(async () => {
  rules = await api("rules");
  $("new-kind").replaceChildren(...rules.map((one) => make("option", {
    value: one.game, textContent: one.title, selected: one.game === table?.view.game,
  })));
  $("new-match").value = table?.rounds ?? "match";
  drawOptions();
  drawTiming();
  $("new-game").showModal();
}));
$("new-kind").addEventListener("change", drawOptions);
$("new-cancel").addEventListener("click", () => $("new-game").close());
$("new-begin").addEventListener("click", said(async (event) => {
  event.preventDefault();
  const game = $("new-kind").value;
  const options = {};
  const chosen = rules.find((one) => one.game === game);
  for (const option of chosen.options) {
    const field = $("new-options").querySelector(`[name="${option.name}"]`);
    const value = option.values === null ? field.value.trim() : option.values[field.value];
    if (value !== option.default) options[option.name] = value;
  }
  $("new-game").close();
  const wanted = { game, options, clock: timing() };
  await api("games", chosen.rounds ? { ...wanted, rounds: $("new-match").value } : wanted);
  location.hash = "";
}));

// --- past games --------------------------------------------------------------------------------------

async function drawPast() {
  const games = await api("games");
  $("past-none").hidden = games.length > 0;
  $("past-rows").replaceChildren(...games.map((game) => {
    const begun = new Date(game.started_at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const result = game.result ? game.result.scores.join(" : ") : "not finished";
    const row = make("tr", {}, make("td", {}, make("a", { href: `#game/${game.game_id}`, textContent: begun })));
    const kind = game.round ? `${game.game}, round ${game.round}` : game.game;
    for (const text of [kind, game.players.join(" – "), game.moves, result]) {
      row.append(make("td", { textContent: text }));
    }
    return row;
  }));
}

async function drawReplay(gameId) {
  const game = await api(`games/${encodeURIComponent(gameId)}`);
  const old = new Board($("replay-board"), game.layout, game.labels);
  const told = { players: game.players, name: (hole) => old.name(hole) };
  const steps = positions(game.events, told);
  write($("replay-title"), `${game.game}, ${game.players.join(" – ")}`);
  fillMoves($("replay-moves"), tell(game.events, told));
  const at = $("replay-at");
  at.max = Math.max(steps.length - 1, 0);
  at.value = 0;
  const show = () => {
    const step = steps[at.value];
    if (!step) return write($("replay-text"), "Nothing was played.");
    old.show({ live: step.counts });
    write($("replay-text"), step.text);
    for (const item of $("replay-moves").children) {
      item.classList.toggle("current", item.dataset.seq === String(step.seq));
      if (item.classList.contains("current")) item.scrollIntoView({ block: "nearest" });
    }
  };
  at.oninput = show;
  $("replay-back").onclick = () => { at.stepDown(); show(); };
  $("replay-on").onclick = () => { at.stepUp(); show(); };
  show();
}

const route = said(async () => {
  const [place, gameId] = location.hash.slice(1).split("/");
  const shown = place === "games" ? "past" : place === "game" ? "replay" : "live";
  for (const name of ["live", "past", "replay"]) $(name).hidden = name !== shown;
  if (shown === "past") await drawPast();
  if (shown === "replay") await drawReplay(gameId);
});

$("docs").href = address("docs");
$("camera").addEventListener("toggle", drawPicture);
$("corners-open").addEventListener("click", () => {
  corners.open(table.players[0], table.arbiter_has_word, $("arbiter-word").value);
  drawPicture();
});
setInterval(drawPicture, PICTURE_MS);
addEventListener("hashchange", route);
route();
open();
