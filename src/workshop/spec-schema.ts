// Beside the counter: only who asks for the schema loads what it is made with.
export { specJsonSchema } from '../spec/json-schema.ts'
