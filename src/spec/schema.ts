/** What sprite, animation and atlas names look like: `hero.walk` and `hero/walk/0000` are built from them. */
export const namePattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** {@link namePattern} in words. */
export const nameWords: string = 'a name of letters, digits, _ and -, beginning with a letter or digit'

/** Frames of an animation that names no number. */
export const defaultFrames: number = 12

/** Fewest and most frames of one animation, as the service's interface has them. */
export const frameRange: { readonly minimum: number; readonly maximum: number } = { minimum: 7, maximum: 100 }

/** One animation as a spec file holds it, after defaults. */
export interface AnimationFile {
  prompt?: string | undefined
  frames: number
  take: number
  options?: Record<string, unknown> | undefined
  fps: number
  loop: boolean
  yoyo: boolean
  durations?: number[] | undefined
  use?: number[] | undefined
}

/** One step of a reference chain as a spec file holds it. */
export type StepFile = { text: string } | { image: string } | { edit: string } | { removeBackground: string } | { upscale: string }

/** A whole spec file, after defaults. */
export interface SpecFile {
  $schema?: string | undefined
  reference: string | { steps: StepFile[] }
  prompt: string
  background: 'remove' | 'keep'
  animations: Record<string, AnimationFile>
  size?: number | { width: number; height: number } | undefined
  pixelArt: boolean
  anchor?: [number, number] | undefined
  borders?: number | [number, number, number, number] | undefined
  stabilize: boolean
  trim: boolean
  extrude: number
  padding: number
  scales: number[]
  atlas: string
}

/** Whether a path stays a path on every machine that has the project: relative, no URL, forward slashes. It may go up. */
export function isPathBeside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !/[\\\0]/.test(path) && !/^[a-z][a-z0-9+.-]*:/i.test(path)
}
