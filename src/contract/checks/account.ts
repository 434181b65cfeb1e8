import { isCreditsText } from '../../credit/credits.ts'
import { parseJson } from '../../service/json.ts'
import { readCapabilities } from '../../service/replies.ts'
import type { ContractCheck, Finding } from '../check.ts'
import { judge } from '../check.ts'
import { strange } from '../envelope.ts'
import { isRecord, operations, records, wrongKinds } from '../records.ts'

/** Checks of operations, prices and balance of the account. */
export const accountChecks: readonly ContractCheck[] = [
  {
    clause: 'C16',
    title: 'the capabilities have the fields of the interface, each of its kind',
    needs: 'free',
    run: async (context) => {
      const reply = await context.capabilities()
      if (reply.status !== 200) return strange(reply, 'GET /v1/capabilities')
      const faults = wrongKinds(reply.json, records.capabilities, 'capabilities')
      const { sprite_pricing: pricing } = isRecord(reply.json) ? reply.json : {}
      if (isRecord(pricing)) faults.push(...wrongKinds(pricing, records.sprite_pricing, 'sprite_pricing'))
      if (faults.length > 0) return judge(faults)
      const missing = isRecord(reply.json)
        ? Object.keys(records.capabilities).filter((field) => !Object.hasOwn(reply.json as object, field))
        : []
      return readable(() => readCapabilities(parseJson(reply.bytes, 'the capabilities')), missing)
    },
  },
  {
    clause: 'C16',
    title: 'an unknown query parameter changes nothing of the capabilities',
    needs: 'free',
    run: async (context) => {
      const before = await context.capabilities()
      const reply = await context.caller.call({ path: `/v1/capabilities?account=${context.canary()}` })
      if (reply.status === 422 || reply.text === before.text) return 'kept'
      return {
        broken: `Expected the same capabilities or 422 for a query parameter that is not there, found ${reply.status} with another body.`,
      }
    },
  },
  {
    clause: 'C38',
    title: 'API version 1, a test or live key, and whether test mode uses credits',
    needs: 'free',
    run: async (context) => {
      const { json } = await context.capabilities()
      if (!isRecord(json)) return 'not checkable'
      const { api_version: version, key_mode: mode, test_mode_uses_credits: uses } = json
      return judge([
        ...(version === '1'
          ? []
          : [`Expected api_version as "1", found ${version === undefined ? 'none: version 1 is assumed' : 'another'}`]),
        ...(mode === 'test' || mode === 'live'
          ? []
          : ['Expected key_mode as "test" or "live", found neither: nothing is bought without it']),
        ...(typeof uses === 'boolean' ? [] : ['Expected test_mode_uses_credits as true or false, found neither']),
      ])
    },
  },
  {
    clause: 'C13',
    title: 'an image costs one credit',
    needs: 'free',
    run: async (context) => {
      const { json } = await context.capabilities()
      const price = isRecord(json) ? json.live_charge_credits_per_image : undefined
      if (typeof price !== 'number')
        return { notCheckable: 'The capabilities do not say what an image costs; nothing that needs one is bought then.' }
      return price === 1 ? 'kept' : { broken: `Expected one credit an image, found ${price}; plans show what the service says.` }
    },
  },
  {
    clause: 'C17',
    title: 'an estimate is given exactly where the operations list sprite_sheet',
    needs: 'free',
    run: async (context) => {
      const { json } = await context.capabilities()
      const listed = isRecord(json) && Array.isArray(json.operations) ? json.operations : undefined
      const estimate = await context.caller.call({ path: '/v1/sprite-pricing', isManaged: false })
      if (listed === undefined) return 'not checkable'
      if (listed.includes('sprite_sheet') === (estimate.status === 200)) return 'kept'
      return {
        broken: `Expected an estimate exactly where the operations list sprite_sheet, found ${estimate.status} for an account that ${listed.includes('sprite_sheet') ? 'has' : 'lacks'} it.`,
      }
    },
  },
  {
    clause: 'C20',
    title: 'the balance can be read as credits (N5)',
    needs: 'free',
    run: async ({ caller, profile }) => {
      const reply = await caller.call({ path: '/v1/balance' })
      if (reply.status !== 200) return strange(reply, 'GET /v1/balance')
      try {
        const text = profile.readBalance(parseJson(reply.bytes, 'the balance'))
        if (isCreditsText(text)) return 'kept'
      } catch {
        // If the profile throws, the report below is the same as for a result without credits.
      }
      const fields = isRecord(reply.json) ? ` with ${Object.keys(reply.json).slice(0, 8).join(', ') || 'no fields'}` : ''
      return { broken: `Expected the balance as {"credits": "12.5"}, found a body${fields}.`, profilePart: 'readBalance' }
    },
  },
  {
    clause: 'C42',
    title: 'no operation of the account is one that the interface does not show',
    needs: 'free',
    run: async (context) => {
      const { json } = await context.capabilities()
      const listed = isRecord(json) && Array.isArray(json.operations) ? json.operations : undefined
      if (listed === undefined) return 'not checkable'
      const further = listed.filter((operation) => !operations.includes(String(operation)))
      if (further.length === 0) return 'kept'
      return { kept: `The account has ${further.map(String).join(', ').slice(0, 120)} too, which spritewright does not use.` }
    },
  },
  {
    clause: 'N1',
    title: 'a picture can be uploaded, free of charge',
    needs: 'free',
    run: async (context) => {
      try {
        await context.reference()
        return 'kept'
      } catch (error) {
        return { broken: `${(error as Error).message}`, profilePart: 'uploadReference' }
      }
    },
  },
]

function readable(read: () => unknown, missing: readonly string[]): Finding {
  try {
    read()
  } catch (error) {
    return { broken: (error as Error).message }
  }
  return missing.length === 0 ? 'kept' : { kept: `Without ${missing.join(', ')}, which may be missing.` }
}
