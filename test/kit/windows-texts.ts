/** Encodes a text in UTF-16. */
export function toUtf16(text: string, isBig: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

/** The forms in which programs of Windows write a text, by name: UTF-16 with CRLF. */
export function windowsTexts(text: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const lines = text.replace(/\r?\n/g, '\r\n')
  return [false, true].flatMap((isBig) =>
    ['\uFEFF', ''].map((mark) => {
      const form = `UTF-16 ${isBig ? 'BE' : 'LE'} ${mark === '' ? 'without' : 'with'} a byte order mark`
      return [form, toUtf16(mark + lines, isBig)] as const
    }),
  )
}
