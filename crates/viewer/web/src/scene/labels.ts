/** Words at places of the model: they stay upright and of one size, whatever the eye does. */

import { Vector3 } from "three";
import type { Vec3 } from "../wire/types";
import { h } from "../ui/h";
import type { Stage } from "./stage";

export interface Label {
  at: Vec3;
  text: string;
  /** A class that gives it its colour. */
  kind: "dimension" | "measure" | "tie" | "yielding";
}

export class Labels {
  readonly element = h("div", { class: "view-labels", "aria-hidden": "true", testid: "labels" });
  private labels: Label[] = [];

  constructor(private readonly stage: Stage) {
    stage.beforeRender(() => this.place());
  }

  set(labels: Label[]): void {
    this.labels = labels;
    while (this.element.childElementCount > labels.length) this.element.lastElementChild!.remove();
    while (this.element.childElementCount < labels.length) this.element.append(h("span", {}));
    labels.forEach(({ text, kind }, index) => {
      const label = this.element.children[index] as HTMLElement;
      if (label.textContent !== text) label.textContent = text;
      label.className = `view-label ${kind}`;
    });
    this.stage.requestRender(false);
  }

  private place(): void {
    if (!this.labels.length) return;
    this.stage.updateCamera();
    const at = new Vector3();
    const eye = this.stage.camera;
    this.labels.forEach((label, index) => {
      const element = this.element.children[index] as HTMLElement;
      at.fromArray(label.at).applyMatrix4(this.stage.world.matrixWorld);
      const isBehind = at.clone().applyMatrix4(eye.matrixWorldInverse).z > 0;
      const { x, y } = this.stage.toPixels(at);
      element.hidden = isBehind;
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }
}
