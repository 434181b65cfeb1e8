import { type Credits, formatCredits, parseCredits } from '../../credit/credits.ts'
import type { Random } from '../../host/random.ts'
import { sha256 } from '../../host/sha256.ts'
import { invalid, Refusal } from '../http/http.ts'
import type { EmbeddedAccount } from '../options/options.ts'
import { type AccountRecord, type ExecutionRecord, type Operation, operations } from '../store/records.ts'
import type { Store } from '../store/service-store.ts'

/** The sender of a request: a valid key and its account. */
export type Caller = ReturnType<typeof authenticate>

/** Credits of a new account, if its options name none. */
const GRANTED_BY_DEFAULT = '100'

/** Accounts, their keys and their credits. */
export type Accounts = ReturnType<typeof createAccounts>

/** Creates accounts over a store. */
export function createAccounts(store: Store, random: Random) {
  const executions = (accountId: string): ExecutionRecord[] =>
    [...store.table('execution').values()].filter((execution) => execution.accountId === accountId)
  const left = (accountId: string, taken: readonly ExecutionRecord['money'][]): Credits => {
    const granted = parseCredits(store.table('account').get(accountId)?.granted ?? '0')
    const gone = executions(accountId).reduce((sum, { money, price }) => (taken.includes(money) ? sum + parseCredits(price) : sum), 0n)
    return gone > granted ? 0n : granted - gone
  }
  const putKey = (accountId: string, key: string, mode: 'test' | 'live', isRevoked: boolean): void => {
    const hash = sha256(key)
    store.commit([['key', hash, { hash, accountId, mode, isRevoked }]])
  }
  return {
    /**
     * @throws {Refusal} `invalid_request` if the header is missing, `authentication_failed` if the key is
     *   unknown or revoked.
     */
    authenticate: (authorization: string | undefined): Caller => authenticate(store, authorization),
    /** Executions of an account, oldest first. */
    executions,
    /** Available credits, as the balance shows them: granted − settled − held, but at least 0. */
    available: (accountId: string): Credits => left(accountId, ['held', 'settled']),
    /** Credits that can pay for a new execution: the available ones less the price of running images. */
    spendable: (accountId: string): Credits => left(accountId, ['held', 'settled', 'due']),
    /** Adds or changes an account, found by its name. Its earlier keys stay. */
    put: (given: EmbeddedAccount): AccountRecord => {
      const known = [...store.table('account').values()].find((account) => account.name === given.name)
      const account: AccountRecord = {
        id: known?.id ?? random.uuid(),
        name: given.name,
        granted: formatCredits(parseCredits(given.credits ?? known?.granted ?? GRANTED_BY_DEFAULT, `the credits of "${given.name}"`)),
        operations: given.operations ?? known?.operations ?? operations,
      }
      store.commit([['account', account.id, account]])
      for (const { key, mode, isRevoked } of given.keys ?? []) putKey(account.id, key, mode ?? 'test', isRevoked ?? false)
      return account
    },
    /** Makes a new test key for an account. Only the caller learns its text. */
    mintKey: (account: AccountRecord): string => {
      const key = `sw_test_${Buffer.from(random.bytes(24)).toString('base64url')}`
      putKey(account.id, key, 'test', false)
      return key
    },
  }
}

/** @throws {Refusal} `feature_unavailable` if the account may not use an operation. */
export function requireOperation({ account }: Caller, operation: Operation): void {
  if (!account.operations.includes(operation)) throw new Refusal('feature_unavailable', 'This operation is not available to this account.')
}

function authenticate(store: Store, authorization: string | undefined) {
  if (authorization === undefined) throw invalid('Authorization', 'Bearer with an API key')
  const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  // The store knows only hashes of keys, so neither a key nor the time to compare one can leak.
  const found = key === undefined ? undefined : store.table('key').get(sha256(key))
  const account = found && store.table('account').get(found.accountId)
  if (found === undefined || account === undefined || found.isRevoked)
    throw new Refusal('authentication_failed', 'The API key is invalid or was revoked.')
  return { key: found, account }
}
