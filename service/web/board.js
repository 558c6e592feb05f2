// The board as SVG, in millimetres as the board file has it: origin top left, x right, y down.

const SVG = "http://www.w3.org/2000/svg";
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const LAMP_GAP = 2.2; // mm between the rim of a hole and its lamp
const SHOWN_HAND = 0.15; // weaker evidence of a hand is not drawn
const OWNERS = [ // a mark for each player, round (0, 0); the page's turn has the same shapes
  "M-3,0A3,3 0 1 1 3,0A3,3 0 1 1 -3,0Z", "M-2.7,-2.7H2.7V2.7H-2.7Z", "M0,-3.7L3.7,0L0,3.7L-3.7,0Z",
  "M-3,-3H0A3,3 0 0 1 3,0V3H0A3,3 0 0 1 -3,0Z",
];
const SURE = 0.9; // a less certain count gets a question mark

function element(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A circle of the given radius, drawn out along y by half_length both ways. */
function outline(hole, grow = 0) {
  const r = hole.radius + grow;
  const { x, y, half_length: half } = hole;
  return (
    `M${x - r},${y - half}A${r},${r} 0 0 1 ${x + r},${y - half}` +
    `V${y + half}A${r},${r} 0 0 1 ${x - r},${y + half}Z`
  );
}

/** Wavy lines along the wood, the same on each visit. */
function grain(layout) {
  const lines = element("g", { class: "grain" });
  for (let i = 1; i < 16; i++) {
    const y = (layout.width * i) / 16;
    const sway = (k) => Math.sin(i * 2.3 + k * 1.7) * 3;
    let d = `M3,${y}`;
    for (let k = 1; k <= 6; k++) {
      const x = (k * (layout.length - 6)) / 6 + 3;
      d += `S${x - layout.length / 12},${(y + sway(k)).toFixed(1)} ${x.toFixed(1)},${y}`;
    }
    lines.append(element("path", { d }));
  }
  return lines;
}

function seedPlaces(hole, count) {
  const spread = Math.max(count, 9);
  const size = hole.radius * Math.min(0.2, 0.66 / Math.sqrt(spread));
  const reach = hole.radius * 0.92 - size;
  const stretch = (reach + hole.half_length) / reach;
  return Array.from({ length: count }, (_, k) => {
    const distance = reach * Math.sqrt((k + 0.5) / spread);
    const angle = k * GOLDEN_ANGLE + hole.x;
    return {
      x: hole.x + distance * Math.cos(angle),
      y: hole.y + distance * Math.sin(angle) * stretch,
      size,
    };
  });
}

export class Board {
  /**
   * @param svg the empty element to draw into
   * @param layout as /api/state has it
   * @param labels what players call each hole
   * @param play called with the index of a pit that is clicked; null where pits cannot be clicked
   */
  constructor(svg, layout, labels, play = null) {
    this.holes = [...layout.pits, ...layout.stores];
    this.pits = layout.pits.length;
    this.labels = labels;
    this.play = play;
    svg.setAttribute("viewBox", `0 0 ${layout.length} ${layout.width}`);
    this.parts = this.holes.map((hole, index) => this.#hole(hole, index, layout));
    this.hands = element("g", { class: "hands", "aria-hidden": "true" });
    svg.replaceChildren(
      element("rect", { class: "plank", x: 1, y: 1, width: layout.length - 2, height: layout.width - 2, rx: 10 }),
      grain(layout),
      ...this.parts.map((part) => part.group),
      this.hands,
    );
    for (const part of this.parts) this.hands.append(part.hand);
  }

  /** What is called pit or store of number `index`. */
  name(index) {
    return this.labels[index] ?? (index < this.pits ? `pit ${index + 1}` : `store ${index - this.pits + 1}`);
  }

  /**
   * @param view as /api/state has it, or only {live} for a position at rest
   * @param lamps as /api/state has them
   */
  show(view, lamps = []) {
    const mends = new Map((view.mend ?? []).map((mend) => [mend.pit, mend]));
    this.parts.forEach((part, index) => {
      const count = view.live[index];
      const certain = view.certain?.[index] ?? 1;
      const accepted = view.counts?.[index] ?? count;
      const hand = view.hand?.[index] ?? 0;
      const playable = view.legal?.includes(index) && view.phase === "waiting";
      this.#seeds(part, index, count);
      part.count.textContent = certain < SURE ? `${count}?` : `${count}`;
      part.tag.classList.toggle("moving", accepted !== count);
      part.tag.classList.toggle("unsure", certain < SURE);
      part.group.classList.toggle("playable", Boolean(playable));
      this.#owner(part, view, index);
      part.hand.style.opacity = hand > SHOWN_HAND ? 0.25 + 0.5 * hand : 0;
      const lamp = lamps[index] ?? { colour: "none", pattern: "off" };
      part.lamp.setAttribute("class", `lamp c-${lamp.colour} p-${lamp.pattern}`);
      this.#mend(part, mends.get(index));
      const label = this.#spoken(index, count, certain, playable, mends.get(index));
      if (part.group.getAttribute("aria-label") !== label) part.group.setAttribute("aria-label", label);
    });
  }

  /** Whose a pit is, where that is not plain from the rows: in a match, and of more than two players. */
  #owner(part, view, index) {
    if (!part.owner) return;
    const owner = view.round || view.players > 2 ? view.owner?.[index] : undefined;
    part.owner.setAttribute("class", owner === undefined ? "owner" : `owner shown player-${owner}`);
    if (owner !== undefined) part.owner.setAttribute("d", OWNERS[owner]);
    part.group.classList.toggle("closed", Boolean(view.closed?.includes(index)));
  }

  #spoken(index, count, certain, playable, mend) {
    let text = `${this.name(index)}, ${certain < SURE ? "perhaps " : ""}${count} ${count === 1 ? "seed" : "seeds"}`;
    if (playable) text += ", may be played";
    if (mend) text += `, should hold ${mend.want}`;
    return text;
  }

  #seeds(part, index, count) {
    if (part.shown === count) return;
    part.shown = count;
    part.seeds.replaceChildren(
      ...seedPlaces(this.holes[index], count).map((place, k) =>
        element("circle", {
          class: `seed seed-${(k * 3 + index) % 5}`,
          cx: place.x.toFixed(2),
          cy: place.y.toFixed(2),
          r: place.size.toFixed(2),
        }),
      ),
    );
  }

  #mend(part, mend) {
    part.badge.classList.toggle("shown", Boolean(mend));
    if (!mend) return;
    const extra = mend.seeds - mend.want;
    part.badge.classList.toggle("too-many", extra > 0);
    part.badgeText.textContent = extra > 0 ? `−${extra}` : `+${-extra}`;
  }

  #hole(hole, index, layout) {
    const isPit = index < this.pits;
    const low = hole.y >= layout.width / 2 || !isPit;
    const rim = hole.half_length + hole.radius;
    const tagY = low ? hole.y + rim : hole.y - rim;
    const lamp = element("path", { class: "lamp c-none p-off", d: outline(hole, LAMP_GAP) });
    const seeds = element("g", { class: "seeds" });
    const count = element("text", { x: hole.x, y: tagY });
    const tag = element("g", { class: "tag" },
      element("rect", { x: hole.x - 15, y: tagY - 9, width: 30, height: 18, rx: 9 }), count);
    const badgeText = element("text", { x: hole.x, y: hole.y });
    const badge = element("g", { class: "badge" }, element("circle", { cx: hole.x, cy: hole.y, r: 14 }), badgeText);
    const children = [
      element("path", { class: "hole", d: outline(hole) }), seeds, lamp, tag, badge,
    ];
    let owner = null;
    if (isPit) {
      const labelY = low ? tagY + 3 : tagY - 3;
      children.push(element("text", { class: "label", x: hole.x - 22, y: labelY }, this.name(index)));
      owner = element("path", { class: "owner", transform: `translate(${hole.x + 22},${labelY})` });
      children.push(owner);
    }
    const clickable = isPit && this.play;
    const group = element(
      "g",
      { class: isPit ? "pit" : "store", "data-hole": index, role: clickable ? "button" : "img" },
      ...children,
    );
    if (clickable) {
      group.setAttribute("tabindex", "0");
      group.addEventListener("click", () => this.play(index));
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.play(index);
      });
    }
    const turn = low ? 0 : 180;
    const hand = element("use", {
      href: "#hand-shape", class: "hand", transform: `translate(${hole.x},${hole.y}) rotate(${turn})`,
    });
    return { group, owner, lamp, seeds, tag, count, badge, badgeText, hand, shown: -1 };
  }
}
