// The corners of a board without markers, clicked in the camera's picture.

const NAMES = ["top left", "top right", "bottom right", "bottom left"];
/** A click within so many CSS pixels of a corner that was given moves it. */
const NEAR_PX = 24;
/** A mark's radius, as a share of the picture's width. */
const MARK = 0.008;
const SVG = "http://www.w3.org/2000/svg";

const $ = (id) => document.getElementById(id);

function draw(kind, attributes) {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export class Corners {
  /** @param send told the corners, in pixels of the picture, and the arbiter's word; throws if they are refused */
  constructor(send) {
    this.send = send;
    this.picture = $("corners-picture");
    this.picture.addEventListener("load", () => {
      const { naturalWidth, naturalHeight } = this.picture;
      // Kept, for the picture has no size while the next one is loaded.
      this.size = [naturalWidth, naturalHeight];
      $("corners-marks").setAttribute("viewBox", `0 0 ${naturalWidth} ${naturalHeight}`);
      this.show();
    });
    this.picture.addEventListener("click", (event) => this.click(event));
    $("corners-undo").addEventListener("click", () => {
      this.before.pop();
      this.show();
    });
    $("corners-cancel").addEventListener("click", () => $("corners").close());
    $("corners-send").addEventListener("click", (event) => this.finish(event));
  }

  /** @param player who sits at the board's lower edge */
  open(player, wordWanted, word) {
    this.player = player;
    /** The points as they were after each click, in the picture's pixels from its edge. */
    this.before = [[]];
    this.size = null;
    $("corners-word-row").hidden = !wordWanted;
    $("corners-word").value = word;
    $("corners-refused").hidden = true;
    $("corners").showModal();
    this.show();
  }

  get points() {
    return this.before.at(-1);
  }

  click(event) {
    if (!this.size) return;
    const box = this.picture.getBoundingClientRect();
    const scale = this.size[0] / box.width;
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * (this.size[1] / box.height)];
    const far = this.points.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
    const nearest = far.indexOf(Math.min(...far));
    const moved = this.points.length === NAMES.length || far[nearest] <= NEAR_PX * scale;
    this.before.push(moved ? this.points.with(nearest, at) : [...this.points, at]);
    this.show();
  }

  show() {
    const { points } = this;
    const next = NAMES[points.length];
    $("corners-lead").textContent = next
      ? `Click the ${next} corner of the board, as ${this.player} sees it.`
      : "A click moves the corner that is nearest. When all lie right, and no hand is above the board, set them.";
    $("corners-undo").disabled = this.before.length === 1;
    $("corners-send").disabled = Boolean(next);
    if (!this.size) return;
    const radius = MARK * this.size[0];
    $("corners-marks").replaceChildren(
      draw("polygon", { points: points.map((point) => point.join(",")).join(" ") }),
      ...points.map(([cx, cy]) => draw("circle", { cx, cy, r: radius })),
    );
  }

  async finish(event) {
    event.preventDefault();
    // The first pixel's centre is 0, its edge is half a pixel before.
    const corners = this.points.map((point) => point.map((along) => Math.round(10 * (along - 0.5)) / 10));
    try {
      await this.send(corners, $("corners-word").value);
      $("corners").close();
    } catch (error) {
      $("corners-refused").textContent = error.message;
      $("corners-refused").hidden = false;
    }
  }
}
