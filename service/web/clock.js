// The clock: what the server says, run on between two of its words.

const TICK_MS = 100;
/** Below this a time is low, and shown with tenths. */
const LOW_MS = 20_000;

/** `4:58`, `1:02:03`, `0:09.3` when it is low, `−0:12` after a flag. */
export function timeInWords(ms) {
  const low = Math.abs(ms) < LOW_MS;
  // Rounded up: no time is shown as none before it is.
  const tenths = low ? Math.ceil(ms / 100) : 10 * Math.ceil(ms / 1000);
  const seconds = Math.floor(Math.abs(tenths) / 10);
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(number).padStart(2, "0");
  const head = minutes < 60 ? `${minutes}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
  const tail = low ? `.${Math.abs(tenths) % 10}` : "";
  return `${tenths < 0 ? "−" : ""}${head}:${two(seconds % 60)}${tail}`;
}

const write = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

export class Clock {
  /**
   * @param node where to draw
   * @param press told the player whose face is pressed, where the clock has a button
   */
  constructor(node, press) {
    this.node = node;
    this.press = press;
    this.clock = null;
    this.faces = [];
    setInterval(() => this.draw(), TICK_MS);
  }

  /** @param clock of /api/state; null for none */
  show(clock, players) {
    this.clock = clock;
    this.at = performance.now();
    const key = JSON.stringify(clock && [clock.switch, clock.players.length, players]);
    if (this.key !== key) {
      this.key = key;
      this.faces = clock ? clock.players.map((_, player) => this.make(players[player], player)) : [];
      this.node.replaceChildren(...this.faces.map(({ face }) => face));
    }
    this.draw();
  }

  make(name, player) {
    const button = this.clock.switch === "button";
    const face = document.createElement(button ? "button" : "div");
    if (button) {
      face.type = "button";
      face.addEventListener("click", () => this.press(player));
    }
    const parts = ["name", "time", "more"].map((kind) => {
      const part = document.createElement("span");
      part.className = kind;
      return part;
    });
    face.append(...parts);
    face.dataset.player = player;
    write(parts[0], name);
    // A timer is not read aloud with every tick.
    parts[1].setAttribute("role", "timer");
    return { face, time: parts[1], more: parts[2] };
  }

  draw() {
    if (!this.clock) return;
    const { players, player, runs, switch: by, stops } = this.clock;
    players.forEach((told, at) => {
      const { face, time, more } = this.faces[at];
      const gone = runs && at === player ? performance.now() - this.at : 0;
      const delay = Math.max(told.delay_ms - gone, 0);
      const rest = told.left_ms - Math.max(gone - told.delay_ms, 0);
      const left = told.flagged ? rest : Math.max(rest, 0);
      const low = left < LOW_MS && told.periods <= 1;
      face.className = "face";
      face.classList.toggle("turn-now", at === player && !stops.includes("over"));
      face.classList.toggle("runs", runs && at === player);
      face.classList.toggle("low", low);
      face.classList.toggle("flagged", told.flagged);
      if (by === "button") face.disabled = at !== player || stops.includes("over");
      write(time, timeInWords(left));
      const said = [];
      if (told.flagged) said.push("⚑ out of time");
      if (delay > 0 && at === player) said.push(`waits ${Math.ceil(delay / 1000)} s`);
      if (told.periods) said.push(`${told.periods} period${told.periods === 1 ? "" : "s"}${told.in_period ? "" : " after it"}`);
      write(more, said.join(", "));
    });
  }
}
