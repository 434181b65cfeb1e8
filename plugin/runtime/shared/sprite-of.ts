import type { AtlasData, BorderRow } from './data.ts'

/** Name of the sprite that a frame belongs to. @param frame `hero/walk/0000` */
export function spriteOf(frame: string): string {
  return frame.slice(0, frame.indexOf('/'))
}

/** What a nine-slice keeps unstretched of a frame, in page pixels; undefined where the spec of its sprite has no borders. */
export function bordersOf({ borders }: AtlasData, frame: string): BorderRow | undefined {
  const sprite = spriteOf(frame)
  // A sprite may be called `constructor`.
  return borders && Object.hasOwn(borders, sprite) ? borders[sprite] : undefined
}
