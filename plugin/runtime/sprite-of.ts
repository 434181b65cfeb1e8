/** Name of the sprite that a frame belongs to. @param frame `hero/walk/0000` */
export function spriteOf(frame: string): string {
  return frame.slice(0, frame.indexOf('/'))
}
