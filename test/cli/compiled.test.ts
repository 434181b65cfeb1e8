import { mkdtemp, readdir, rm } from 'node:fs/promises'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProject, runCli } from '../project.ts'

test('I8: what Node keeps of compiled code lies in our state folder, and nothing in the one for temporary files, which others may have laid out', async () => {
  const project = await createProject({})
  const temp = await mkdtemp(join(tmpdir(), 'spritewright-compiled-'))
  try {
    const { code } = await runCli(project, ['status'], { TMPDIR: temp, TEMP: temp, TMP: temp })
    expect(code).toBe(0)
    expect(await readdir(temp)).toEqual([])
    // Node 20 keeps nothing.
    const kept = 'enableCompileCache' in module ? ['compiled'] : []
    expect(await readdir(join(project.root, '.state/spritewright')).catch(() => [])).toEqual(kept)
  } finally {
    await rm(temp, { recursive: true, force: true })
    await project.remove()
  }
})
