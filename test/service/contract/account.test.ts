import { expect, test } from 'vitest'
import type { ContractContext, Finding } from '../../../src/contract/check.ts'
import { accountChecks } from '../../../src/contract/checks/account.ts'

/** What a check finds at an account with these capabilities. */
function found(clause: string, capabilities: unknown): Promise<Finding> | undefined {
  const context = { capabilities: async () => ({ json: capabilities }) } as unknown as ContractContext
  return accountChecks.findLast((check) => check.clause === clause)?.run(context)
}

test.each<[unknown, Finding]>([
  [null, 'not checkable'],
  [{}, 'not checkable'],
  [{ operations: 'sprite_sheet' }, 'not checkable'],
  [{ operations: [] }, 'kept'],
  [{ operations: ['sprite_sheet'] }, 'kept'],
  [{ operations: ['video', 'sprite_sheet', 5] }, { kept: 'The account has video, 5 too, which spritewright does not use.' }],
])('C42: an account with %j has operations that the interface does not show, or none: %j', async (capabilities, finding) => {
  expect(await found('C42', capabilities)).toEqual(finding)
})
