import { attack, cast, jump } from './acts.ts'
import { bounce, dance, float, fly, glow, idle, run, shake, spin, walk } from './cycles.ts'
import type { Motion } from './pose.ts'

/**
 * Verbs for each motion. Every form of a verb counts (see {@link rootOf}). If a prompt names two motions, the
 * earlier word wins.
 */
const VOCABULARY: readonly (readonly [Motion, string])[] = [
  [walk, 'walk stroll march step patrol sneak creep crawl waddle wander strut climb'],
  [run, 'run sprint dash gallop trot charge rush jog chase'],
  [idle, 'idle breathe breath stand wait rest calm sleep snore doze nap'],
  [jump, 'jump leap pounce'],
  [bounce, 'bounce hop jiggle wobble'],
  [attack, 'attack slash swing strike stab punch kick bite swipe chop fight thrust shoot lunge peck'],
  [spin, 'spin rotate rotation turn twirl whirl flip'],
  [fly, 'fly flies flap flutter soar glide swoop'],
  [float, 'hover float drift levitate haunt bob'],
  [cast, 'cast spell conjure summon heal'],
  [glow, 'glow pulse shine sparkle shimmer twinkle gleam glitter glint open unlock reveal burn flicker flame blaze'],
  [shake, 'shake tremble shiver rattle quake vibrate buzz'],
  [dance, 'dance cheer celebrate sway groove'],
]

/** `swings`, `swinging`, `swing` → `swing`; `running`, `runs` → `run`; `breathes`, `breathing` → `breath`. */
function rootOf(word: string): string {
  const bare = word.length > 4 ? word.replace(/(ing|ed|es|s|y)$/, '') : word.replace(/s$/, '')
  return bare.replace(/([bgmnpt])\1$/, '$1').replace(/e$/, '')
}

const MOTIONS: ReadonlyMap<string, Motion> = new Map(
  VOCABULARY.flatMap(([motion, verbs]) => verbs.split(' ').map((verb) => [rootOf(verb), motion] as const)),
)

/**
 * The motion that a prompt asks for. The first word that names one wins; the last line (the animation's) is
 * read first, then the lines before it. A prompt without such a word gets the idle motion.
 */
export function chooseMotion(prompt: string): Motion {
  const words = prompt
    .toLowerCase()
    .split('\n')
    .reverse()
    .flatMap((line) => line.match(/[a-z]+/g) ?? [])
  return words.map((word) => MOTIONS.get(rootOf(word))).find((motion) => motion !== undefined) ?? idle
}
