/** Two states of an object, for a diff. */

/** A state of an object: its version, or a time. */
export type Point = number | string | Date;

/** Two states as query parameters. */
export function between(since: Point, until: Point): { from: string; to: string } {
  return { from: pointText(since), to: pointText(until) };
}

function pointText(point: Point): string {
  return point instanceof Date ? point.toISOString() : String(point);
}
