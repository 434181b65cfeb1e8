import { basename } from 'node:path'

/** The sprite's name: the file's name before `.sprite.json`, `.sprite.yaml` or `.sprite.yml`. Undefined for any other file. */
export function specName(file: string): string | undefined {
  return /^(.*)\.sprite\.(?:json|yaml|yml)$/.exec(basename(file))?.[1]
}
