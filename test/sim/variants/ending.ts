import type { Variant } from './variant.ts'

const approval = 'src/credit/approval.ts'

/** Variants in which an approval lives on, or counts in every project. */
export const ending: readonly Variant[] = [
  {
    name: 'an older approval counts as long as its signature fits',
    where: ['approvals that have ended'],
    breaks: 'I11',
    patches: [
      { file: approval, find: 'newest !== undefined && at < newest.at', replace: 'newest === null' },
      { file: approval, find: "at !== newest?.at) return 'elsewhere'", replace: "at === '') return 'elsewhere'" },
    ],
  },
  {
    name: 'taking back only removes the entry of the lock file',
    where: ['approvals that have ended'],
    breaks: 'I11',
    patches: [
      {
        file: 'src/workshop/trust/approvals.ts',
        find: "return ((await record(context, hash, 'revoked', [known], () => true)) as Recorded).view.submission",
        replace: 'return (await context.journal.read(hash)).submission',
      },
    ],
  },
  {
    name: 'an approval never expires',
    where: ['approvals that have ended'],
    breaks: 'I11',
    patches: [
      { file: approval, find: "< until ? undefined : 'expired'", replace: "< until ? undefined : (undefined as 'expired' | undefined)" },
    ],
  },
  {
    name: 'an approval of a trusted person counts in every project',
    where: ['approvals that were copied'],
    breaks: 'I11',
    patches: [{ file: approval, find: 'project !== undefined && project === approvers.project ?', replace: 'project !== undefined ?' }],
  },
  {
    name: 'a worker judges by every branch that has the commit',
    where: ['approvals that an old branch has'],
    breaks: 'I11',
    patches: [
      {
        file: 'src/workshop/worker/read-order.ts',
        find: 'await host.repository?.tipsOf(options.root, names)',
        replace: 'await host.repository?.tipsWith(options.root, message.commit)',
      },
    ],
  },
  {
    name: 'a worker needs no approval on the named branches if they have no newer one',
    where: ['approvals that an old branch has'],
    breaks: 'I11',
    patches: [
      {
        file: 'src/workshop/worker/read-order.ts',
        find: 'if (approval && newest?.signature !== approval.signature) {',
        replace: 'if (approval && newest && newest.signature !== approval.signature) {',
      },
    ],
  },
]
