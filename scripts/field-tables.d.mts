/** Writes the tables of a page anew, from the JSON Schemas of both files. */
export function withFieldTables(page: string, schemas: { readonly spec: object; readonly config: object }): string
