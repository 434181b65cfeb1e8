import type { PanelAnimation } from '../../plugin/protocol/protocol.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import type { Disk } from '../../src/host/disk.ts'
import { nodeNet } from '../../src/host/net.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { openPanel, type PanelClient, type WholeState } from './panel-client.ts'
import { type Dev, startDev } from './server.ts'
import { type Game, hostOf, key, openSource, pluginOf, vites } from './world.ts'

/** A game, a service that sells to it, and servers of the game. */
export interface PanelWorld {
  readonly game: Game
  readonly service: EmbeddedService
  /**
   * Starts a server, and opens its panel.
   *
   * @param added Variables besides those of the service.
   */
  start(added?: Readonly<Record<string, string>>): Promise<Dev & { readonly panel: PanelClient }>
  /** Approves as in another terminal. */
  approve(names: readonly string[], added?: Readonly<Record<string, string>>): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a world.
 *
 * @param more Files of the game besides its own.
 * @param speed How many times faster the clock of the dev servers runs.
 * @param disk The disk of the dev servers.
 */
export async function openPanelWorld(
  more: Readonly<Record<string, string>> = {},
  options: EmbeddedOptions = {},
  speed = 5,
  disk?: Disk,
): Promise<PanelWorld> {
  const open: (() => unknown)[] = []
  const [, load] = vites[0]!
  const service = await startEmbeddedService({
    jobMs: 0,
    limits: { windowMs: 1 },
    accounts: [{ name: 'test', keys: [{ key }] }],
    makers: quickMakers(),
    ...options,
  })
  open.push(() => service.close())
  const game = await openSource(more)
  open.push(() => game.remove())
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  return {
    game,
    service,
    start: async (added = {}) => {
      const dev = await startDev(
        await load(),
        game,
        pluginOf(game, { env: { ...env, ...added }, net: nodeNet(), clock: fasterClock(speed), disk }),
      )
      open.push(() => dev.close())
      const panel = await openPanel(dev)
      open.push(() => panel.close())
      return { ...dev, panel }
    },
    approve: async (names, added = {}) => {
      const workshop = await createWorkshop({ root: game.root, host: hostOf(game, { ...env, ...added }) })
      await workshop.approve({ names, confirm: async () => true })
      await workshop.close()
    },
    close: async () => {
      for (const close of open.splice(0).reverse()) await close()
    },
  }
}

/** An animation of a state, by its id. */
export function find(state: WholeState, id: string): PanelAnimation {
  return state.sprites.flatMap(({ animations }) => animations).find((one) => one.id === id) as PanelAnimation
}

/** Whether an animation has this state. */
export function stands(id: string, expected: string): (state: WholeState) => boolean {
  return (state) => find(state, id).state === expected
}

/** Approves the hero as a person does. Returns its price. */
export async function approveHero(panel: PanelClient): Promise<string> {
  const offer = await panel.act('offer', { ids: ['hero'] })
  await panel.act('approve', { ids: ['hero'], lines: offer.lines, sum: offer.sum })
  return offer.sum
}

/** The fields of a state that an answer sends back. */
export function toQuestion({ id, hash = '', question }: PanelAnimation): {
  readonly id: string
  readonly hash: string
  readonly questionId: string
} {
  return { id, hash, questionId: question?.questionId ?? '' }
}
