// The referee's events as a story that people can read: rows of moves, mistakes and what became of them.

const inWords = (kind) => kind.replaceAll("_", " ");
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/**
 * Rows for the list of moves.
 * @param events of one game, in order, as /api/state has them
 * @param table {players, name(hole)}
 * @returns [{kind: "move"|"violation"|"ruling"|"note"|"over", text, detail, number, player, undone, mended, reasons, seq}]
 */
export function tell(events, table) {
  const rows = [];
  const last = (wanted) => rows.findLast(wanted);
  let number = 0;
  let others = []; // captures by the move at hand that go to somebody else's store
  for (const event of events) {
    const who = table.players[event.player] ?? `Player ${event.player + 1}`;
    const row = { seq: event.seq, player: event.player, who, kind: "note", text: "", detail: "" };
    switch (event.event) {
      case "capture_done":
        if (event.to !== event.player) others.push(event);
        break;
      case "move":
        number += 1;
        rows.push({ ...row, kind: "move", number, text: event.move, detail: moveDetail(event, table, others), reasons: reasonsInWords(event.reasons, table.name) });
        others = [];
        break;
      case "pass":
        number += 1;
        rows.push({ ...row, kind: "move", number, text: "–", detail: "passes", reasons: [] });
        break;
      case "takeback": {
        if (!event.move) {
          const end = last((one) => one.kind === "over" && !one.undone);
          if (end) end.undone = true;
          rows.push({ ...row, text: "the end taken back: play goes on" });
          break;
        }
        const kind = event.move === "ruling" ? "ruling" : "move";
        const undone = last((one) => one.kind === kind && !one.undone);
        if (undone) undone.undone = true;
        if (undone && kind === "move") number = undone.number - 1;
        rows.push({ ...row, text: `${event.move} taken back` });
        break;
      }
      case "violation":
        rows.push({ ...row, kind: "violation", text: inWords(event.kind), detail: event.text, mended: "" });
        break;
      case "mended": {
        const wrong = last((one) => one.kind === "violation" && !one.mended);
        if (wrong) wrong.mended = "mended";
        break;
      }
      case "ruling": {
        const wrong = last((one) => one.kind === "violation" && !one.mended);
        if (wrong && event.position) wrong.mended = "accepted";
        rows.push({ ...row, kind: event.position ? "ruling" : "note", text: "ruling", detail: event.text });
        break;
      }
      case "question":
        rows.push({ ...row, text: "asked", detail: event.text });
        break;
      case "recount":
        if (event.done) rows.push({ ...row, text: "board counted afresh" });
        break;
      case "sensor_lost":
        rows.push({ ...row, text: `${event.sensor || "sensor"} lost`, detail: lossInWords(event) });
        break;
      case "sensor_back":
        rows.push({ ...row, text: `${event.sensor || "sensor"} back` });
        break;
      case "flag":
        rows.push({ ...row, text: "flag", detail: `${who}: the time has run out.` });
        break;
      case "clock":
        if (event.state === "paused") rows.push({ ...row, text: "clock stopped" });
        if (event.state === "resumed") rows.push({ ...row, text: "clock goes on" });
        if (event.state === "given") {
          const deed = event.ms > 0 ? "is given" : "loses";
          rows.push({ ...row, text: `${who} ${deed} ${Math.abs(event.ms) / 1000} s` });
        }
        break;
      case "round_over":
        rows.push({ ...row, kind: "over", text: roundInWords(event, table.players) });
        break;
      case "game_over":
        rows.push({ ...row, kind: "over", text: resultInWords(event, table.players) });
        break;
    }
  }
  return rows;
}

const name = (player, players) => players[player] ?? `Player ${player + 1}`;
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

function moveDetail(event, table, others = []) {
  const parts = [];
  const theirs = others.flatMap((capture) => capture.pits);
  const mine = event.captured.filter(([pit]) => !theirs.includes(pit));
  if (mine.length) {
    parts.push(`captures ${sum(mine.map(([, taken]) => taken))} from ${mine.map(([pit]) => table.name(pit)).join(", ")}`);
  }
  for (const capture of others) {
    const from = capture.pits.map((pit) => table.name(pit)).join(", ");
    parts.push(`${name(capture.to, table.players)} gets ${sum(capture.seeds)} from ${from}`);
  }
  const gain = event.gain[event.player];
  if (gain > 0 && !event.captured.length) parts.push(`+${gain}`);
  if (event.decided?.length) {
    const winners = event.decided.map((player) => name(player, table.players)).join(" and ");
    parts.push(`decided for ${winners}: more than half of the seeds are stored`);
  }
  if (event.certainty < 0.99) parts.push(`${Math.floor(event.certainty * 100)} % certain`);
  return parts.join(", ");
}

export function resultInWords(over, players) {
  const names = over.winners.map((player) => players[player] ?? `Player ${player + 1}`);
  const score = over.scores.join(" : ");
  const head = names.length === 1 ? `${names[0]} wins ${score}` : `${names.join(" and ")} share the first place ${score}`;
  return over.reason ? `${head} (${over.reason})` : head;
}

/** A round that is over; in Congklak it is won by seeds (menang biji) and by play (menang jalan). */
export function roundInWords(over, players) {
  const names = over.winners.map((player) => name(player, players));
  const score = over.scores.join(" : ");
  const won = names.length === 1 ? `${names[0]} wins ${score}` : `${names.join(" and ")} share it ${score}`;
  const parts = [`Round ${over.round}: ${won}`];
  if (over.ran_out !== null) {
    const others = players.filter((_, player) => player !== over.ran_out).join(" and ");
    parts[0] += " by seeds (menang biji)";
    parts.push(`${name(over.ran_out, players)} ran out first: ${others} wins by play (menang jalan)`);
  }
  const standing = over.standing.join(" : ");
  if (standing !== score) parts.push(`the match stands ${standing}`);
  return parts.join("; ");
}

/** The positions of a game in order, to step through: [{counts, text, player, seq}]. */
export function positions(events, table) {
  const found = [];
  for (const event of events) {
    if (!["game_started", "move", "ruling", "takeback"].includes(event.event)) continue;
    if (event.event === "ruling" && !event.position) continue;
    const who = table.players[event.player] ?? `Player ${event.player + 1}`;
    const detail = event.event === "move" ? moveDetail(event, table) : "";
    const text = {
      game_started: event.ply ? "Taken up again" : "The start",
      move: `${who} plays ${event.move}${detail ? `, ${detail}` : ""}`,
      ruling: event.text,
      takeback: event.move ? `${event.move} is taken back` : "The end is taken back",
    }[event.event];
    found.push({ counts: [...event.pits, ...event.stores], text, player: event.player, seq: event.seq });
  }
  return found;
}

/** What a lost sensor means: with another one there play goes on. */
function lossInWords(event) {
  const others = event.watching ?? [];
  return others.length ? `${event.text}. The ${others.join(" and ")} watches alone.` : event.text;
}

/** Whose turn it is, or what the table waits for. */
export function turnInWords(view, players) {
  const who = players[view.player] ?? "";
  return {
    setup: view.note ? `Lay out round ${view.round}` : "Set up the board",
    waiting: `${who} to move`,
    sowing: `${who} is sowing`,
    capture: `${who} lifts the capture`,
    mend: view.policy === "warn" && view.violation ? "Put it right, or go on" : "Put it right, and play goes on",
    decide: view.deciders.length
      ? `${view.deciders.map((player) => name(player, players)).join(" or ")} decides: does it stand?`
      : "The arbiter decides: does it stand?",
    question: "The referee asks",
    over: "The game is over",
    lost: "The sensor is lost",
  }[view.phase];
}

/** Why the clock stands, or that there is none; nothing while it runs. */
export function clockInWords(clock) {
  if (!clock) return "no clock";
  const why = {
    paused: "stopped by the arbiter",
    over: "",
    sensor: "stands while the sensor is away",
    violation: "stands until the board is right",
    question: "stands until the question is answered",
    "set-up": "stands until the board is right",
    move: "",
  };
  const [stop] = Object.keys(why).filter((one) => clock.stops.includes(one));
  return why[stop] ?? "";
}

/** What is wrong with each hole, and what to do about it. */
export function mendsInWords(view, name) {
  return view.mend.map((mend) => {
    const extra = mend.seeds - mend.want;
    const deed = extra > 0 ? `take ${extra} out` : `put ${-extra} in`;
    return `${name(mend.pit)}: ${deed} (${plural(mend.seeds, "seed")} now, ${mend.want} wanted)`;
  });
}

/** What decided a verdict, a line each. */
export function reasonsInWords(reasons, name) {
  if (!reasons) return [];
  const percent = (share) => (share > 0.9995 ? "over 99.9 %" : share < 0.0005 ? "under 0.1 %" : `${(100 * share).toFixed(1)} %`);
  const lines = reasons.rule ? [reasons.rule] : [];
  lines.push(`Read as ${reasons.readings.map((one) =>
    `${one.text} (${percent(one.probability)}; fit ${one.fit}, prior ${one.prior})`).join("; or as ")}.`);
  for (const hole of reasons.weighed) {
    lines.push(`${name(hole.pit)}: measured ${hole.seeds} (${percent(hole.certainty)}), wanted ${hole.want}; the readings say ${hole.readings.join(", ")}.`);
  }
  return lines;
}

/** The verdict that stands: {tone: "good"|"bad"|"plain", text}. */
export function verdict(view, rows, table) {
  if (view.result) return { tone: "good", text: resultInWords(view.result, table.players) };
  if (view.violation) return { tone: "bad", text: view.violation.text || inWords(view.violation.kind) };
  if (view.question) return { tone: "plain", text: view.question.text };
  if (view.note) return { tone: "plain", text: view.note };
  if (view.phase === "setup") return { tone: "plain", text: view.mend.length ? "These holes are not as the game starts:" : "Place the seeds for the start." };
  if (view.phase === "capture") {
    return { tone: "plain", text: `Captured: lift ${view.due.map((pit) => table.name(pit)).join(" and ")} into the store.` };
  }
  const last = rows.findLast((row) => row.kind === "move" || row.kind === "violation" || row.text);
  if (!last) return { tone: "plain", text: "Good luck to both." };
  if (last.kind === "violation") return { tone: last.mended ? "good" : "bad", text: last.mended ? `${last.mended === "mended" ? "Mended" : "Let stand"}: ${last.text}.` : last.detail };
  if (last.kind === "move") return { tone: "plain", text: `${last.who}: ${last.text}${last.detail ? `, ${last.detail}` : ""}.` };
  return { tone: "plain", text: last.detail || last.text };
}
