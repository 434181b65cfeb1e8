import { expect, test } from 'vitest'
import { addDock, type DevToolsContext } from '../../plugin/dev/devtools.ts'

test('the dock of the DevTools has a button that prints the address, and never the address itself', () => {
  const registered: Record<string, unknown>[] = []
  const register = (entry: object): void => void registered.push({ ...entry })
  let prints = 0
  addDock({ commands: { register }, docks: { register } } as unknown as DevToolsContext, () => ++prints)
  const [command, entry] = registered
  ;(command!.handler as () => unknown)()
  const words = expect.any(String)
  expect([prints, registered.length, command, entry]).toEqual([
    1,
    2,
    { id: 'spritewright:address', title: words, handler: expect.any(Function) },
    {
      ...{ id: 'spritewright', type: 'launcher', title: 'Sprites', icon: 'ph:person-simple-run-duotone' },
      launcher: { title: 'Sprites', description: words, buttonStart: words, command: command?.id },
    },
  ])
})
