import { expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/commands.ts'

test('each command loads its own function, and says what it takes, where it works and how it opens the project', async () => {
  const found = await Promise.all(
    commandEntries.map(async ({ load, verb, takesNames, takes, takesFirst, isPatient, hasNoKey, worksAnywhere }) => {
      const facts = [takesNames && `names ${takes ?? '[names…]'}`, takesFirst && `first ${takesFirst}`, isPatient && 'waits']
      const { name } = await load()
      return [verb, name, ...facts, hasNoKey && 'without a key', worksAnywhere && 'anywhere'].filter(Boolean).join(' · ')
    }),
  )
  expect(found).toMatchInlineSnapshot(`
    [
      "init · init",
      "new · newSprite · names NAME PICTURE",
      "import · importSpecs · names FILE…",
      "plan · plan · names [names…] · waits",
      "approve · approve · names [names…] · waits",
      "build · build · names [names…] · waits",
      "status · status · names [names…]",
      "types · types",
      "answer · answer · names NAME TEXT · waits",
      "review · review · names NAME",
      "recover · recover · names NAME · waits",
      "cancel · cancel · names NAME · waits",
      "forget · forget · names NAME · waits",
      "ledger · ledger",
      "disclose · disclose",
      "store · store · names [names…] · first ls|verify|prune|push|pull|gc",
      "doctor · doctor",
      "trust · trust · names [HOST]",
      "worker · worker · names [status] · waits",
      "mcp · mcp · without a key",
      "serve · serve · anywhere",
      "merge · merge · names [BASE OURS THEIRS]",
      "schema · schema · anywhere",
    ]
  `)
})
