import { join } from 'node:path'
import { z } from 'zod'
import { usageError } from '../../arguments.ts'
import { describeField } from './fields.ts'
import { faultWords } from './sprites.ts'
import { defineTool, insteadOfCommands, maybe, type Tool, text } from './tool.ts'

const within = { sidePx: 1024, bytes: 250_000 }

/** A picture of bought frames. */
export const show: Tool = defineTool({
  name: 'show',
  description:
    'A contact sheet of the bought frames of a sprite or animation, at most 1,024 px, faulty frames with a red border. takes: two takes of one animation, one below the other.',
  input: z.strictObject({ name: text.max(200), takes: z.array(z.int().min(1).max(9999)).min(1).max(2).optional() }),
  output: z.object({ animations: z.array(z.object({ id: text, faults: z.array(text) })), missing: z.array(text) }),
  run: async ({ name, takes }, { withWorkshop }) => {
    const { animations, missing, picture } = await withWorkshop((workshop) => workshop.review(name, { takes, within }))
    const found = animations.map(({ id, flags }) => ({ id, faults: flags.map(faultWords) }))
    return { data: { animations: found, missing }, picture }
  },
})

/** What the documents of the package say. */
export const explain: Tool = defineTool({
  name: 'explain',
  description: 'Explains an error code (SW_CEILING), a field of a spec (animations.walk.use: PAID or FREE) or an option (atlas.maxSize).',
  input: z.strictObject({ about: text.min(1).max(200) }),
  output: z.object({ about: text, text: maybe, exit: z.number().optional(), title: maybe, whatToDo: maybe, next: maybe }),
  run: async ({ about }, { parts: { host, ownProcess } }) => {
    const read = async (path: string): Promise<string> =>
      new TextDecoder().decode(await host.disk.read(join(ownProcess.packageFolder, ...path.split('/'))))
    const row = (await read('docs/errors.md')).split('\n').find((line) => line.startsWith(`| \`${about}\` |`))
    if (row) {
      // Errors of atlas/ have no exit code.
      const cells = row.replace(/ \|$/, '').split(' | ').slice(1)
      const [whatToDo, title, exit] = cells.toReversed()
      return { data: { about, exit: exit === undefined ? exit : Number(exit), title, whatToDo, next: insteadOfCommands } }
    }
    for (const name of ['sprite', 'config']) {
      const schema: unknown = JSON.parse(await read(`schemas/${name}.schema.json`))
      const path = about.split('.')
      const found = describeField(schema, path) ?? describeField(schema, ['animations', 'walk', ...path])
      if (found !== undefined) return { data: { about, text: found } }
    }
    throw usageError(
      `Expected an error code, a field of a spec or an option, found ${JSON.stringify(about)}. Write it as in SW_CEILING or animations.walk.fps.`,
    )
  },
})
