import type { ContractCheck } from '../check.ts'
import { judge } from '../check.ts'
import { envelopeFaults, notOurs, refusalFaults, unknownReasons } from '../envelope.ts'

const json = { 'content-type': 'application/json' }
/** An invalid submission, which starts nothing even if a service does not check the key. */
const nothing = new TextEncoder().encode('{}')

/** Checks of keys, versions and access. */
export const doorChecks: readonly ContractCheck[] = [
  {
    clause: 'C1',
    title: 'a request without Authorization is 422 invalid_request',
    needs: 'free',
    run: async ({ caller }) => {
      const expected = { status: [422], reason: ['invalid_request'] }
      const read = await caller.call({ path: '/v1/capabilities', key: 'none' })
      const posted = await caller.call({ method: 'POST', path: '/v1/execute', key: 'none', headers: json, body: nothing })
      return judge([
        ...refusalFaults(read, 'GET /v1/capabilities without a key', expected),
        ...refusalFaults(posted, 'POST /v1/execute without a key', expected),
      ])
    },
  },
  {
    clause: 'C1',
    title: 'a key that was never given is 401 authentication_failed, for reads and for submissions',
    needs: 'free',
    run: async ({ caller }) => {
      const expected = { status: [401], reason: ['authentication_failed'] }
      const read = await caller.call({ path: '/v1/balance', key: 'wrong' })
      const posted = await caller.call({ method: 'POST', path: '/v1/execute', key: 'wrong', headers: json, body: nothing })
      return judge([
        ...refusalFaults(read, 'GET /v1/balance with a wrong key', expected),
        ...refusalFaults(posted, 'POST /v1/execute with a wrong key', expected),
      ])
    },
  },
  {
    clause: 'C1',
    title: 'what is not ours is refused: 403 or 404',
    needs: 'free',
    run: async ({ caller, random }) => {
      const id = random.uuid()
      const read = await caller.call({ path: `/v1/executions/${id}` })
      const events = await caller.stream(`/v1/executions/${id}/events`)
      await events.close()
      return judge([
        ...refusalFaults(read, 'the status of an execution that is not ours', notOurs),
        ...(notOurs.status.includes(events.status)
          ? []
          : [`Expected 403 or 404 for the events of an execution that is not ours, found ${events.status}`]),
      ])
    },
  },
  {
    clause: 'C2',
    title: 'a managed request without Service-Version: 1 is 422',
    needs: 'free',
    run: async ({ caller, random }) => {
      const path = `/v1/executions/${random.uuid()}`
      const without = await caller.call({ path, isManaged: false })
      const other = await caller.call({ path, isManaged: false, headers: { 'service-version': '2' } })
      // A service may search the execution first. Then only an existing execution could show the result.
      if ([without, other].every(({ status }) => notOurs.status.includes(status)))
        return { notCheckable: 'The service searches the execution first; only an execution of our own could show the result.' }
      const expected = { status: [422], reason: ['invalid_request'] }
      return judge([
        ...refusalFaults(without, 'a request without Service-Version', expected),
        ...refusalFaults(other, 'Service-Version: 2', expected),
      ])
    },
  },
  {
    clause: 'C12',
    title: 'a conversation that is not ours cannot be deleted: 404 or 403',
    needs: 'free',
    run: async ({ caller, random }) => {
      const reply = await caller.call({ method: 'DELETE', path: `/v1/conversations/${random.uuid()}` })
      return judge(refusalFaults(reply, 'deleting a conversation that is not ours', notOurs))
    },
  },
  {
    clause: 'C26',
    title: 'an asset that is not ours is refused, and none is given without a key',
    needs: 'free',
    run: async ({ caller, random }) => {
      const path = `/v1/image-jobs/${random.uuid()}/asset`
      const missing = await caller.call({ path })
      const keyless = await caller.call({ path, key: 'none' })
      const isRefused = keyless.status >= 400
      return judge([
        ...refusalFaults(missing, 'an asset that is not ours', notOurs),
        ...(isRefused ? [] : [`Expected a refusal for an asset without a key, found ${keyless.status}`]),
      ])
    },
  },
]

/** Checks over all refusals of a run. They must run after all other checks. */
export const refusalChecks: readonly ContractCheck[] = [
  {
    clause: 'C27',
    title: 'every refusal is the error envelope: one key, six fields, three headers',
    needs: 'free',
    run: async ({ caller }) => {
      if (caller.refusals.length === 0) return 'not checkable'
      return judge([...new Set(caller.refusals.flatMap(envelopeFaults))].slice(0, 6))
    },
  },
  {
    clause: 'C27',
    title: 'no refusal repeats a value that was submitted',
    needs: 'free',
    run: async ({ caller, canaries }) => {
      const echoed = caller.refusals.filter(({ text, headers }) =>
        canaries.some((canary) => (text + JSON.stringify(headers)).includes(canary)),
      )
      return judge([
        ...new Set(
          echoed.map(({ method, path, status }) => `${method} ${path.replace(/\?.*$/s, '')} (${status}) repeats what was submitted`),
        ),
      ])
    },
  },
  {
    clause: 'C28',
    title: 'every refusal gives one of the fifteen public reasons',
    needs: 'free',
    run: async ({ caller }) => {
      const unknown = unknownReasons(caller.refusals)
      return judge(
        unknown.map((reason) => `Expected a public reason, found ${JSON.stringify(reason.slice(0, 60))}; it would be shown as it is`),
      )
    },
  },
  {
    clause: 'C29',
    title: 'a 429 is RATE_LIMITED, rate_limited, retryable',
    needs: 'free',
    run: async ({ caller }) => {
      const limited = caller.refusals.filter(({ status }) => status === 429)
      if (limited.length === 0) return { notCheckable: 'No limit was reached, because the suite respects them.' }
      const wanted = { code: 'RATE_LIMITED', reason: 'rate_limited', category: 'RATE_LIMITED', retryable: true }
      const faults = limited.flatMap(({ json: body }) => {
        const error = (body as { error?: Record<string, unknown> } | undefined)?.error
        return Object.entries(wanted).flatMap(([field, value]) =>
          error?.[field] === value ? [] : [`Expected ${field} of a 429 as ${value}, found another`],
        )
      })
      return judge([...new Set(faults)])
    },
  },
  {
    clause: 'C40',
    title: 'no answer repeats the key',
    needs: 'free',
    run: async ({ caller }) =>
      judge([...new Set(caller.leaks)].map((place) => `Expected the key in no answer, found it in that of ${place}`)),
  },
]
