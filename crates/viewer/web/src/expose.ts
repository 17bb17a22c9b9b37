/** What tests may read: nothing here changes the page, but for the eye that measurements turn. */

import { Vector3 } from "three";
import { socket } from "./actions/server";
import { recordHeld } from "./panels/record";
import { moved } from "./plots/moved";
import type { Stage } from "./scene/stage";
import * as state from "./state";

export function expose(stage: Stage): void {
  const read = {
    get connected() {
      return socket.connection.peek() === "open";
    },
    get revision() {
      return state.model.peek()?.revision ?? null;
    },
    get name() {
      return state.model.peek()?.name ?? null;
    },
    get verdict() {
      return state.check.peek()?.answer.verdict ?? null;
    },
    /** What coupled analysis says where self-stress is allowed, once it was asked. */
    get opinion() {
      return state.opinion.peek()?.verdict ?? null;
    },
    get checking() {
      return state.checking.peek();
    },
    get blocks() {
      return state.model.peek()?.blocks.length ?? 0;
    },
    get selection() {
      return state.selectedNames();
    },
    get frames() {
      return state.run.peek()?.frames.length ?? 0;
    },
    /** Tells runs apart. */
    get runId() {
      return state.run.peek()?.id ?? null;
    },
    get run() {
      return state.run.peek()?.state ?? null;
    },
    /** What the run came to, and how long it is. */
    get outcome() {
      const run = state.run.peek();
      return run?.end ? { ...run.end, last_s: run.frames.at(-1)?.time_s } : null;
    },
    /** How far the ground has moved at the end of the run. */
    get groundMoved() {
      const frames = state.run.peek()?.frames ?? [];
      const last = frames.at(-1);
      return last ? [...last.ground].map((each, k) => each - frames[0]!.ground[k]!) : null;
    },
    /** How far the last block has moved along x against the ground, frame by frame. */
    get movedX() {
      const frames = state.run.peek()?.frames ?? [];
      const block = (state.model.peek()?.blocks.length ?? 1) - 1;
      return frames.map((frame) => moved(frame, frames[0]!, block, "x"));
    },
    /** The mechanism of a safety margin that is on screen. */
    get mechanism() {
      const motion = state.shownMargin.peek()?.motion;
      return motion ? [...motion] : null;
    },
    /** What the record holds that is chosen. */
    get record() {
      return recordHeld();
    },
    /** How the run is stepped, once that is known. */
    get integrator() {
      return state.run.peek()?.started?.integrator ?? null;
    },
    /** The slow loading: how far it is, where on it one is, and the equilibrium there. */
    get slow() {
      const path = state.path.peek();
      if (!path) return null;
      const { moved, opening, slip, absent, ...header } = state.equilibrium() ?? { moved: [], opening: [], slip: [], absent: [] };
      return { state: path.state, end: path.end?.end ?? null, points: path.points.length, at: state.pathAt.peek(), falls: state.fallsOnPath() !== null, point: header, moved: [...moved], opening: [...opening], slip: [...slip] };
    },
    /** The study: how far it is, what is listed and drawn of it, and the run that was chosen. */
    get study() {
      const study = state.study.peek();
      if (!study) return null;
      const { path, runs, done, failed, complete, listed, charts } = study;
      const chosen = state.chosenRun.peek();
      return { path, runs, done, failed, complete, listed: listed.length, charts: charts.map(({ name }) => name), chosen: chosen?.run ?? null, shown: chosen?.shown ?? false };
    },
    get stages() {
      return state.stages.peek();
    },
    /** Pictures drawn so far: stands still while nothing changes. */
    get pictures() {
      return stage.renderer.info.render.frame;
    },
    get drawCalls() {
      return stage.renderer.info.render.calls;
    },
    /** Where the structure lies in the picture: least and most across, least and most up, from -1 to 1. */
    get extent() {
      return stage.extent();
    },
    /** Where a point of the model is seen, in pixels of the view. */
    pixelOf(point: [number, number, number]): [number, number] {
      stage.updateCamera();
      const seen = stage.toPixels(new Vector3(...point).applyMatrix4(stage.world.matrixWorld));
      return [seen.x, seen.y];
    },
    get eye() {
      return { at: stage.camera.position.toArray(), target: stage.controls.target.toArray() };
    },
    /** Draws as fast as the browser shows pictures, for so many seconds; pictures a second. */
    measureFps(seconds = 1): Promise<number> {
      return new Promise((resolve) => {
        const start = performance.now();
        let count = 0;
        const step = () => {
          stage.render();
          count++;
          const passed = (performance.now() - start) / 1000;
          if (passed < seconds) requestAnimationFrame(step);
          else resolve(count / passed);
        };
        requestAnimationFrame(step);
      });
    },
    /** Milliseconds of scripts in each of so many pictures, without the drawing that they set off. */
    async measureScripts(pictures = 20): Promise<number[]> {
      const times: number[] = [];
      while (times.length < pictures) {
        await new Promise(requestAnimationFrame);
        stage.orbit(0.02, 0);
        const start = performance.now();
        stage.render();
        times.push(performance.now() - start);
      }
      return times;
    },
  };
  Object.defineProperty(window, "drystone", { value: Object.freeze(read) });
}
