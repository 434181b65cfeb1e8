import type { Patch } from '../bundle.ts'
import type { ExplorationName } from './explorations.ts'
import type { Variant } from './variant.ts'

const everything: readonly ExplorationName[] = ['everything']

const float = (file: string, find: string, replace: string): Patch => ({ file, find, replace })

/** Variants that handle amounts wrongly. */
export const counting: readonly Variant[] = [
  {
    name: 'the ceiling is compared as a float',
    where: everything,
    breaks: 'I2',
    patches: [
      float('src/credit/credits.ts', 'return price > ceiling', 'return Number(price) > Number(ceiling)'),
      float('src/job/records/reservations.ts', 'others + share.credits > total', 'Number(others + share.credits) > Number(total)'),
    ],
  },
  {
    name: 'max_credits is the ceiling, not the estimate',
    where: everything,
    breaks: 'I2',
    patches: [
      {
        file: 'src/job/freeze.ts',
        find: 'const maxCredits = formatCredits(price.credits)',
        replace: 'const maxCredits = formatCredits(price.approval.ceiling)',
      },
      {
        file: 'src/job/freeze.ts',
        find: 'makeBody(ports.client, request, referenceId, price.credits)',
        replace: 'makeBody(ports.client, request, referenceId, price.approval.ceiling)',
      },
    ],
  },
  {
    name: 'reservations without compare-and-swap',
    where: ['two builds, two sprites, credits for one'],
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
]

/** Variants that handle the disk wrongly. */
export const keeping: readonly Variant[] = [
  {
    name: 'no fsync of a new file',
    where: everything,
    breaks: 'I6',
    patches: [{ file: 'src/host/publish.ts', find: 'await disk.sync(temp)\n    await disk.link', replace: 'await disk.link' }],
  },
  {
    name: "no fsync of a new file's folder",
    where: everything,
    breaks: 'I6',
    patches: [
      { file: 'src/host/publish.ts', find: '  await disk.syncFolder(folder)\n  return true', replace: '  return true' },
      { file: 'src/job/records/folder-chain.ts', find: '      await makeRooted(name)\n', replace: '' },
    ],
  },
  {
    name: 'a folder that another process made counts as durable',
    where: ['two builds, one sprite'],
    breaks: 'I6',
    patches: [{ file: 'src/job/records/folder-chain.ts', find: '      await makeRooted(name)\n', replace: '' }],
  },
  {
    name: 'no fsync of a file that is replaced',
    where: ['a store that is deleted after the purchase'],
    // The lock file is empty after a crash, which every command refuses.
    breaks: 'I9',
    patches: [
      {
        file: 'src/host/publish.ts',
        find: 'await disk.writeTemp(temp, bytes)\n    await disk.sync(temp)\n  })',
        replace: 'await disk.writeTemp(temp, bytes)\n  })',
      },
    ],
  },
  {
    name: 'a record is renamed into place, over another one',
    where: ['two builds, one sprite'],
    breaks: 'I5',
    patches: [{ file: 'src/host/publish.ts', find: 'disk.link(temp, path)', replace: 'disk.move(temp, path)' }],
  },
  {
    name: "the journal's second copy is not read",
    where: ['a store that is deleted at any moment'],
    breaks: 'I1',
    patches: [
      {
        file: 'src/job/records/folder-chain.ts',
        find: 'places.copy === undefined || known.isForeign ? [] : await listRecords(disk, join(places.copy, name))',
        replace: '[] as number[]',
      },
    ],
  },
  {
    name: 'the result is opened before it is stored',
    where: everything,
    breaks: 'I9',
    patches: [
      {
        file: 'src/job/delivery/deliver.ts',
        find: "import { parseCredits } from '../../credit/credits.ts'",
        replace: "import { readArchive } from '../../../atlas/delivery/archive.ts'\nimport { parseCredits } from '../../credit/credits.ts'",
      },
      {
        file: 'src/job/delivery/deliver.ts',
        find: '  const sha256 = await ports.vault.put(bytes)',
        replace: '  readArchive(bytes)\n  const sha256 = await ports.vault.put(bytes)',
      },
    ],
  },
]
