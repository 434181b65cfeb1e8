import { toJSONSchema } from 'zod'
import { specSchema } from './spec-shape.ts'

/** The JSON Schema (draft 7, which editors know best) of a spec file as it is written, defaults optional. */
export function specJsonSchema(): object {
  const { $schema, ...schema } = toJSONSchema(specSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' })
  return {
    $schema,
    title: 'spritewright sprite spec',
    description: 'One sprite: PAID fields make the request, a change there is a new purchase; FREE fields never cost anything.',
    ...schema,
  }
}
