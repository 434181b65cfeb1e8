import { crc32, deflateSync } from 'node:zlib'

/**
 * One letter is one pixel; a blank is clear. The small knight looks to the right, because sprites face that
 * way.
 */
const drawing: readonly string[] = [
  '         rrr            ',
  '       rrrRrr           ',
  '      rrR kkkkkk        ',
  '      rr kssSSSSk       ',
  '      r kssSSSSSLk      ',
  '       kssSSSSSSLLk     ',
  '       kssSkkkkkkkk     ',
  '       kssSkffwkfwk     ',
  '       kssSkffffffk     ',
  '       kdsSSkffffk      ',
  '        kdsSSSLLk       ',
  '       kkkdddddkkk      ',
  '      kbbBBBBBBBssk     ',
  '     kbbBBBBBBBBsSLk  k ',
  '     kbbBBByyBBBksSk kLk',
  '     kbbkBByyBBBkkkk kLk',
  '     kbbkBBBBBBBk    kLk',
  '     ksskBBBBBBBk    kLk',
  '     kffkbBBBBBbkkk  kLk',
  '      kkkbbBBBbbffkkkkyk',
  '        knnnyynnkfkyyyyk',
  '        kbbBBBBBkkkkkkyk',
  '       kbbBBBBBBBk   kyk',
  '       kbbbBkBBBBk    k ',
  '        kddkkkddk       ',
  '        kdsk kdsk       ',
  '        kdSk kdSk       ',
  '        ksSk ksSk       ',
  '       kknnkkknnkk      ',
  '       knnnnkknnnnk     ',
  '       kkkkkkkkkkkk     ',
]

const colors: Readonly<Record<string, readonly [number, number, number]>> = {
  k: [0x23, 0x1f, 0x2e],
  s: [0x7d, 0x8a, 0xa3],
  S: [0xa9, 0xb6, 0xca],
  L: [0xe3, 0xea, 0xf4],
  d: [0x56, 0x60, 0x78],
  r: [0xc8, 0x3a, 0x46],
  R: [0xe9, 0x6a, 0x5b],
  b: [0x2a, 0x4f, 0x8f],
  B: [0x3f, 0x74, 0xc4],
  y: [0xf0, 0xc2, 0x4b],
  f: [0xf2, 0xc6, 0xa0],
  w: [0xff, 0xff, 0xff],
  n: [0x6b, 0x46, 0x32],
}

const scale = 8
/** Clear pixels to the left, to the right and above. */
const margin = 2

/**
 * Makes the reference picture of the first spec: a PNG with a palette, about a kilobyte, 224 × 264 pixels, on
 * a clear background. There is no room below the feet, because the anchor of the spec is at the bottom.
 */
export function drawFirstPicture(): Uint8Array {
  const across = Math.max(...drawing.map((row) => row.length)) + 2 * margin
  const down = drawing.length + margin
  const letters = ['', ...Object.keys(colors)]
  const rows: number[][] = Array.from({ length: down }, (_, y) =>
    Array.from({ length: across }, (_, x) => Math.max(0, letters.indexOf((drawing[y - margin]?.[x - margin] ?? ' ').trim()))),
  )
  const width = across * scale
  const height = down * scale
  const lines = new Uint8Array((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = rows[Math.floor(y / scale)]?.[Math.floor(x / scale)] ?? 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits and a palette. Then deflate, no filter, not interlaced.
  header.set([8, 3, 0, 0, 0], 8)
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      toChunk('IHDR', header),
      toChunk('PLTE', Buffer.from([[0, 0, 0], ...Object.values(colors)].flat())),
      toChunk('tRNS', Buffer.from([0])),
      toChunk('IDAT', deflateSync(lines, { level: 9 })),
      toChunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function toChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
