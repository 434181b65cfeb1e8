import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProject, runCli } from '../kit/project.ts'

test('I8: what is kept of compiled code lies in our state folder, and nothing in the one for temporary files, which others may have laid out', async () => {
  const project = await createProject({})
  const temp = await mkdtemp(join(tmpdir(), 'spritewright-compiled-'))
  const env = { TMPDIR: temp, TEMP: temp, TMP: temp }
  try {
    expect(await runCli(project, ['status'], env)).toMatchObject({ code: 0 })
    expect(await readdir(temp)).toEqual([])
    expect(await readdir(join(project.root, '.state/spritewright'))).toEqual(['compiled'])
    const kept = await readdir(join(project.root, '.state/spritewright/compiled'))
    expect(kept).not.toEqual([])
    // The same command finds it; what ends in an error leaves nothing.
    expect(await runCli(project, ['status'], env)).toMatchObject({ code: 0 })
    expect(await runCli(project, ['build', 'nothing-of-the-kind'], env)).toMatchObject({ code: 2 })
    expect(await readdir(join(project.root, '.state/spritewright/compiled'))).toEqual(kept)
  } finally {
    await rm(temp, { recursive: true, force: true })
    await project.remove()
  }
})

test('a command that waits for what never comes does not end as if it had done its work', async () => {
  const project = await createProject({ 'spritewright.config.mjs': 'export default await new Promise(() => {})' })
  try {
    const run = await runCli(project, ['plan'])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/^error SW_INTERNAL Expected the command to come to an end/)
  } finally {
    await project.remove()
  }
})
