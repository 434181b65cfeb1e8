export declare const roomTests: Readonly<
  Record<string, { readonly source: string; readonly tests: readonly string[]; readonly least?: number }>
>
