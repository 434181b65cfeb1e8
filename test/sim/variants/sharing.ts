import type { ExplorationName } from './explorations.ts'
import { departsLate } from './sending.ts'
import type { Variant } from './variant.ts'

const atOnce: readonly ExplorationName[] = ['machines at once']
const failing: readonly ExplorationName[] = ['a shared store that fails']
const late: readonly ExplorationName[] = ['another machine after forty minutes']
const chains = 'src/job/records/shared-chain.ts'
const write = "if ((await store.putIfAbsent(nameOf(name, record.n), bytes)) === 'taken') {"
const readBack = 'const back = await get(name, record.n, true)'
const itself = '{ record, at: record.at, mono: record.mono }'

/** Variants of a journal that machines share. */
export const sharing: readonly Variant[] = [
  {
    name: 'a write that the bucket refuses counts as written',
    where: ['twins over S3'],
    breaks: 'I9',
    patches: [
      { file: 'src/stores/s3.ts', find: "return isEqual(found.bytes, body) ? 'mine' : 'taken'", replace: "return body ? 'mine' : 'taken'" },
    ],
  },
  {
    name: 'a row that was there counts as written',
    where: ['twins over PostgreSQL'],
    breaks: 'I9',
    patches: [{ file: 'src/stores/postgres.ts', find: "if (inserted.length === 1) return 'mine'", replace: "if (inserted) return 'mine'" }],
  },
  {
    name: 'a name that is taken counts as written, and nothing is read back',
    where: atOnce,
    breaks: 'I6',
    patches: [
      { file: chains, find: write, replace: 'await store.putIfAbsent(nameOf(name, record.n), bytes)\nif (bytes.length === 0) {' },
      { file: chains, find: readBack, replace: `const back = ${itself}` },
    ],
  },
  {
    name: 'nothing is read back',
    where: failing,
    breaks: 'I6',
    patches: [{ file: chains, find: readBack, replace: `const back = ${itself}` }],
  },
  {
    name: 'records of two writers are the same bytes',
    where: ['twins over S3'],
    breaks: 'I6',
    patches: [{ file: chains, find: 'nonce: random.uuid()', replace: "nonce: 'once'" }],
  },
  {
    name: 'the records before a gap count as all',
    where: ['a record that is lost between others'],
    breaks: 'I1',
    patches: [{ file: chains, find: 'if (!next.slice(end).some((one) => one !== undefined)) break', replace: 'break' }],
  },
  {
    name: 'ages are those of the clocks of the writers',
    where: late,
    breaks: 'I1',
    patches: [{ file: chains, find: 'return { record, ...writtenAt(file, clock) }', replace: `return ${itself}` }],
  },
  {
    name: 'the age of a record begins when it is read',
    where: late,
    breaks: 'I1',
    patches: [
      {
        file: chains,
        find: 'return { at: clock.wall() - ageMs, mono: clock.mono() - ageMs }',
        replace: 'return { at: clock.wall() - 0 * ageMs, mono: clock.mono() }',
      },
    ],
  },
  {
    name: "a store's clock that went back makes records young",
    where: late,
    breaks: 'I1',
    patches: [
      {
        file: chains,
        find: 'return { at: clock.wall() - ageMs, mono: clock.mono() - ageMs }',
        replace: 'return { at: clock.wall() - Math.max(0, ageMs), mono: clock.mono() - Math.max(0, ageMs) }',
      },
    ],
  },
  {
    name: 'a POST leaves however long its record took',
    where: atOnce,
    breaks: 'I1',
    patches: [departsLate],
  },
  {
    name: 'a POST leaves although another machine wrote the record',
    where: atOnce,
    breaks: 'I6',
    patches: [
      {
        file: 'src/job/purchase.ts',
        find: 'if (!next || !mayStillLeave(next.submission, factsNow(ports, order))) throw new OvertakenError()\n        recorded.view = next',
        replace: 'recorded.view = next ?? view',
      },
    ],
  },
  {
    name: 'while the store is away, the journal of this machine takes its place',
    where: failing,
    breaks: 'I6',
    patches: [
      {
        file: chains,
        find: write,
        replace: 'await store.putIfAbsent(nameOf(name, record.n), bytes).catch(() => {})\nif (bytes.length === 0) {',
      },
      { file: chains, find: readBack, replace: `const back = (await get(name, record.n).catch(() => undefined)) ?? ${itself}` },
    ],
  },
  {
    name: 'a read that fails finds nothing',
    where: failing,
    breaks: 'I9',
    patches: [
      { file: chains, find: '() => store.get(nameOf(name, n)),', replace: '() => store.get(nameOf(name, n)).catch(() => undefined),' },
    ],
  },
  {
    name: "an own record that comes back as another's gets a new key",
    where: ['a takeover over S3'],
    breaks: 'I4',
    patches: [
      { file: 'src/stores/s3.ts', find: "return isEqual(found.bytes, body) ? 'mine' : 'taken'", replace: "return body ? 'taken' : 'mine'" },
      {
        file: 'src/job/decision.ts',
        find: "  if (last.answer.kind !== 'refused') return {",
        replace: "  if (last.answer.kind === 'none') return { do: 'prepare', attempt: 2 }\n  if (last.answer.kind !== 'refused') return {",
      },
    ],
  },
  {
    name: "the share is not checked again after another machine's",
    where: ['two machines, credits for one'],
    breaks: 'I3',
    patches: [
      {
        file: 'src/job/records/reservations.ts',
        find: "if (await chains.append(chain, view, 'reserved', toBody(share))) return",
        replace: `for (let at = view; ; at = await chains.read(chain))
          if (await chains.append(chain, at, 'reserved', toBody(share))) return`,
      },
    ],
  },
  {
    name: "another machine's share is given back before its POST is prevented",
    where: ['two machines, credits for one'],
    breaks: 'I3',
    patches: [
      {
        file: 'src/job/records/reservations.ts',
        find: "return (await stores.journal.append(hash, view, 'withdrawn', { attempt })) !== undefined",
        replace: 'return true',
      },
    ],
  },
]
