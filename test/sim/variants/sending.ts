import type { Patch } from '../bundle.ts'
import type { ExplorationName } from './explorations.ts'
import type { Variant } from './variant.ts'

const everything: readonly ExplorationName[] = ['everything']

/** Invariant I11 would stop these variants too: bytes are made anew before each POST, and so is their key. */
const anyKey: Patch = {
  file: 'src/job/body.ts',
  find: 'frozen.key === idempotencyKey(identity, hash, frozen.attempt)',
  replace: 'frozen.key !== idempotencyKey(identity, hash, -1)',
}

/** The age of a submission is checked twice, so a variant without the first check must lack the second too. */
export const departsLate: Patch = {
  file: 'src/job/purchase.ts',
  find: ' || !mayStillLeave(next.submission, factsNow(ports, order))',
  replace: '',
}

/** Variants that send wrongly: when, how often, and under which key. */
export const sending: readonly Variant[] = [
  {
    name: 'the key is made in memory, by each process',
    where: everything,
    breaks: 'I6',
    patches: [
      {
        file: 'src/job/purchase.ts',
        find: '{ key: frozen.key, body },',
        replace: '{ key: (tries.key ??= ports.random.uuid()), body },',
      },
    ],
  },
  {
    name: 'each process freezes anew, under a key of its own',
    where: everything,
    breaks: 'I3',
    patches: [
      anyKey,
      {
        file: 'src/job/purchase.ts',
        find: 'await send(ports, order, view, tries)',
        replace: `const anew = { ...view.submission.frozen, key: tries.key ??= \`sw1-\${ports.random.uuid()}\` }
  const next = await ports.journal.append(order.hash, view, 'frozen', anew)
  if (next) await send(ports, order, next, tries)`,
      },
    ],
  },
  {
    name: 'the record is written after the POST',
    where: everything,
    breaks: 'I6',
    patches: [
      {
        file: 'src/service/http/one-shot.ts',
        find: '    await record()\n    return await ports.transport.exchange(request).then(',
        replace: '    return await ports.transport.exchange(request).finally(record).then(',
      },
    ],
  },
  {
    name: 'the transport repeats a lost POST by itself',
    where: everything,
    breaks: 'I6',
    patches: [
      {
        file: 'src/service/http/one-shot.ts',
        find: 'await ports.transport.exchange(request).then(',
        replace: 'await ports.transport.exchange(request).catch(() => ports.transport.exchange(request)).then(',
      },
    ],
  },
  {
    name: 'a 409 gets a new key',
    where: everything,
    breaks: 'I4',
    patches: [
      {
        file: 'src/job/decision.ts',
        find: '  return decideSent(submission.sends, submission.replay, facts) ??',
        replace: `  const said = submission.sends.at(-1)?.answer
  if (said?.kind === 'refused' && said.status === 409) return { do: 'prepare', attempt: attempt + 1 }
  return decideSent(submission.sends, submission.replay, facts) ??`,
      },
    ],
  },
  {
    name: 'a replay uploads the picture again',
    where: everything,
    breaks: 'I5',
    patches: [
      {
        file: 'src/job/purchase.ts',
        find: 'await send(ports, order, view, tries)',
        replace: `const picture = await readReferencePicture(ports, order, purchase)
  await ports.uploads.forget(picture.sha256)
  await ports.lock.change(order.request.id, order.hash, (entry) => ({ ...entry, submission: undefined }))
  const price = await checkPurchase(ports, order)
  const next = await ports.journal.append(order.hash, view, 'frozen', await freeze(ports, order, view.submission.attempt, price, picture))
  if (next) await send(ports, order, next, tries)`,
      },
    ],
  },
  {
    name: 'a failed attempt is repeated under its key',
    where: ['a job that fails once'],
    breaks: 'I5',
    patches: [
      anyKey,
      {
        file: 'src/job/freeze.ts',
        find: 'const key = idempotencyKey(identity, hash, attempt)',
        replace: 'const key = idempotencyKey(identity, hash, 1)',
      },
    ],
  },
  {
    name: 'attempts have no end',
    where: ['jobs that fail again and again'],
    breaks: 'I9',
    patches: [{ file: 'src/job/decision.ts', find: ' && submission.failures <= failuresAllowed', replace: '' }],
  },
]

/** Variants that judge wrongly what may have been bought. */
export const judging: readonly Variant[] = [
  {
    name: 'no window: replays for ever',
    where: everything,
    breaks: 'I1',
    patches: [departsLate, { file: 'src/job/decision.ts', find: "  if (age > facts.windowMs) return uncertain('window')\n", replace: '' }],
  },
  {
    name: 'a window of an hour, keys are kept for half an hour',
    where: everything,
    breaks: 'I1',
    patches: [
      departsLate,
      {
        file: 'src/job/decision.ts',
        find: "if (age > facts.windowMs) return uncertain('window')",
        replace: "if (age > 6 * facts.windowMs) return uncertain('window')",
      },
    ],
  },
  {
    name: 'a clock that went back counts as young',
    where: ['a clock that is put back'],
    breaks: 'I1',
    patches: [
      {
        file: 'src/job/decision.ts',
        find: 'return wall < 0 || mono < 0 ? undefined : Math.max(wall, mono)',
        replace: 'return Math.max(0, wall, mono)',
      },
    ],
  },
  {
    name: 'the window is judged before the wait alone',
    where: ['a window that ends during a wait'],
    breaks: 'I1',
    patches: [
      departsLate,
      {
        file: 'src/job/purchase.ts',
        find: "if (now.do !== 'prepare' && now.do !== 'replay') throw new OvertakenError()",
        replace: '',
      },
    ],
  },
  {
    name: 'a refused replay proves that nothing was bought',
    where: ['a replay that is refused'],
    breaks: 'I4',
    patches: [
      {
        file: 'src/job/decision.ts',
        find: "  if (last.answer.status === 409) return decideConflict(sends)\n  return uncertain('refused')",
        replace: "  if (last.answer.status === 409) return decideConflict(sends)\n  return { do: 'prepare', attempt: 2 }",
      },
    ],
  },
  {
    name: 'a 5xx counts as a refusal',
    where: everything,
    breaks: 'I4',
    patches: [
      {
        file: 'src/service/http/one-shot.ts',
        find: "  const said = error === null ? 'an answer",
        replace: `  if (status >= 500) return { kind: 'refused', status, error: { reason: 'unknown', message: '', category: null, retryable: false } }
  const said = error === null ? 'an answer`,
      },
    ],
  },
  {
    name: 'the record of a late writer is believed',
    where: ['a record that comes late'],
    breaks: 'I3',
    patches: [
      { file: 'src/job/records/fold.ts', find: '  if (!isPresent || isOfAnother(state, record.body)) return state\n', replace: '' },
    ],
  },
  {
    name: "the lock file's execution is not taken over",
    where: ['a store that is deleted after the purchase'],
    breaks: 'I6',
    patches: [
      {
        file: 'src/job/adopt.ts',
        find: 'if (!entry?.execution || !mayAdopt(view.submission, entry, isLeft)) return view',
        replace: 'if (entry !== null) return view',
      },
      // The reservation chain would stop it too.
      {
        file: 'src/job/records/bought-elsewhere.ts',
        find: 'if (isTaken && (execution === undefined || (await isOurs(hash, execution)))) continue',
        replace: 'if (isTaken) continue',
      },
    ],
  },
  {
    name: '"done" of the stream is the truth',
    where: ['a stream that lies'],
    breaks: 'I9',
    patches: [
      {
        file: 'src/job/delivery/follow.ts',
        find: 'isOpen: () => isOpen,',
        replace: 'isOpen: () => isOpen,\n    isDone: () => seen.isDone,',
      },
      {
        file: 'src/job/delivery/follow.ts',
        find: 'await stream.next(clock, waitMs, stop.signal)',
        replace: "await stream.next(clock, waitMs, stop.signal)\n      if (stream.isDone()) return { ...execution, status: 'completed' }",
      },
    ],
  },
]
