/** Under which id each step of the server's history is kept, so that going back to a step goes back to its id. */

export interface Place {
  id: string;
  /** Whether there is anything in that step that its recipe or file does not have. */
  changed: boolean;
}

export class Places {
  private steps: (Place | undefined)[] = [];
  private now = -1;

  /** After a change: a new step, `undo` of which come before it. It ends what was undone, and the oldest may be gone. */
  push(undo: number, place: Place): void {
    this.steps.length = this.now + 1;
    this.steps.splice(0, Math.max(0, this.now + 1 - undo));
    this.go(undo, place);
  }

  /** After undoing or redoing. */
  go(undo: number, place: Place): void {
    this.steps[undo] = place;
    this.now = undo;
  }

  at(undo: number): Place | undefined {
    return this.steps[undo];
  }

  /** What was kept under an id is from now on kept under another. */
  rename(from: string, to: string): void {
    this.steps = this.steps.map((place) => (place?.id === from ? { ...place, id: to } : place));
  }
}
