/**
 * Bytes → frames → pages → engine data: pure and offline. Nothing here touches disk, network or clock; sharp is loaded at the first call that needs it.
 *
 * @module
 */
export { type ArchiveEntry, type ArchiveLimits, openArchive, readArchive } from './archive.ts'
export {
  type Atlas,
  type AtlasAnimation,
  type AtlasOptions,
  makeAtlas,
  type Page,
} from './atlas.ts'
export { type Bitmap, blit, createBitmap, crop } from './bitmap.ts'
export { bleedColours } from './bleed.ts'
export { encodePage, type PageEncoding, readPage, readPicture, resize } from './codec.ts'
export { type ContactSheetOptions, makeContactSheet } from './contact-sheet.ts'
export { type DeliveredFrames, type Delivery, type ExpectedDelivery, readDelivery, readFrames } from './delivery.ts'
export { type EncodeOptions, encodePages, pageFile, scaleSuffix } from './encode.ts'
export { AtlasError, type AtlasErrorCode } from './errors.ts'
export { type Abilities, encodingsFor, type PageFormat, pageFormats } from './formats/abilities.ts'
export type { EncodedAtlas, EncodedPage, EngineFormat, OutputFile } from './formats/format.ts'
export { createGodotFormat, type GodotOptions } from './formats/godot.ts'
export { type FormatName, formatNames, isFormatName } from './formats/names.ts'
export { createPhaserFormat, type PhaserOptions } from './formats/phaser.ts'
export { createPhaserPctFormat } from './formats/phaser-pct.ts'
export { formats } from './formats/registry.ts'
export type { Borders, Canvas, Frame, FrameSequence } from './frame.ts'
export { alphaHull, type HullOptions, type HullPoint } from './hull.ts'
export { withOutlines } from './outlines.ts'
export type { PaletteMode } from './palette.ts'
export { type PictureFormat, type PictureInfo, pictureInfo } from './picture.ts'
export { cutSequence } from './pieces.ts'
export type { EarlierFrame, PlacedFrame } from './placed-frame.ts'
export { makePlaceholder, type PlaceholderOptions } from './placeholder.ts'
export { decodePng, type PictureLimits } from './png.ts'
export { encodePng } from './png-writer.ts'
export { inspectQuality } from './quality.ts'
export type { QualityFault, QualityFigures, QualityFlag, QualityOptions, QualityReport } from './quality-report.ts'
export { makeReviewSheet, type ReviewedAnimation } from './review-sheet.ts'
export { type FitSize, fitFactor, fitSize, scaleFrames, scaleSequence } from './scale.ts'
export { cutFrame as cutSheetFrame, parseSheetAtlas, type SheetAtlas, type SheetFrame } from './sheet-atlas.ts'
export { type Move, type Stabilized, type StabilizeOptions, stabilize } from './stabilize.ts'
export type { TextureCodec } from './texture.ts'
export { type TrimmedFrame, type TrimOptions, trim } from './trim.ts'
export { alignSequences, sharedUnit, shrinkAtlas } from './variants.ts'
