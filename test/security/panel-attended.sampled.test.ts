import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { nodeTerminal, type Terminal } from '../../src/host/terminal.ts'
import { type ApprovalLine, type ApproveRequest, createWorkshop } from '../../src/workshop.ts'
import { openPanel } from '../plugin/panel-client.ts'
import { startDev } from '../plugin/server.ts'
import { type Game, hostOf, noNet, openSource, vites } from '../plugin/world.ts'

let game: Game
beforeAll(async () => {
  game = await openSource()
})
afterAll(() => game.remove())

const line: ApprovalLine = {
  id: 'hero.walk',
  operation: 'sprite_sheet',
  hash: '0'.repeat(64),
  prompt: 'a small figure',
  quote: 16_000n,
  ceiling: 16_000n,
}

/**
 * Approves in the panel of a server that prints its token into this terminal. Returns the requests to the
 * workshop.
 */
async function approveWith(load: (typeof vites)[number][1], terminal: Terminal): Promise<readonly ApproveRequest[]> {
  const asked: ApproveRequest[] = []
  const plugins = createPlugins(
    {},
    {
      host: hostOf(game, {}, { net: noNet(), terminal }),
      makeWorkshop: async (init) => ({
        ...(await createWorkshop(init)),
        pending: async () => ({ orders: [], mayBuy: true, canAsk: true }),
        approve: async (request) => {
          asked.push(request)
          const confirmed = await request.confirm([line], 100_000n)
          return { approved: confirmed ? [line] : [], untouched: [], others: [], undecided: [], confirmed }
        },
      }),
    },
  )
  const dev = await startDev(await load(), game, { plugins, open: () => 0, made: () => 0 })
  const panel = await openPanel(dev)
  const { lines, sum } = await panel.act('offer', { ids: ['hero.walk'] })
  await panel.act('approve', { ids: ['hero.walk'], lines, sum })
  panel.close()
  await dev.close()
  return asked
}

test.each(vites)('A1: with %s a click counts as one only if a person watches the terminal that has the token', async (_name, load) => {
  const terminal = { ...nodeTerminal(), isInteractive: true, canAsk: true, columns: 80 }
  const watched = await approveWith(load, { ...terminal, isOutputTerminal: true })
  const piped = await approveWith(load, { ...terminal, isOutputTerminal: false })
  // Showing an offer approves nothing, so it has no way of giving.
  expect(watched.map(({ given }) => given)).toEqual([undefined, 'clicked'])
  expect(piped.map(({ given }) => given)).toEqual([undefined, 'unattended'])
})

test.each([true, false, undefined])('A1: whether a person watches the output follows from stdout alone: isTTY %s', (isTTY) => {
  const before = Object.getOwnPropertyDescriptors(process.stdout).isTTY
  const terminal = nodeTerminal()
  try {
    Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true })
    expect(terminal.isOutputTerminal).toBe(isTTY === true)
  } finally {
    if (before) Object.defineProperty(process.stdout, 'isTTY', before)
    else Reflect.deleteProperty(process.stdout, 'isTTY')
  }
})
