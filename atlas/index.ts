/**
 * Bytes → frames → pages → engine data. Pure and offline: nothing here uses the disk, the network or the
 * clock. sharp is loaded by the first call that needs it.
 *
 * @module
 */

export {
  type Atlas,
  type AtlasAnimation,
  type AtlasOptions,
  makeAtlas,
} from './atlas.ts'
export { type Bitmap, blit, createBitmap, crop } from './bitmap.ts'
export { type ArchiveEntry, type ArchiveLimits, openArchive, readArchive } from './delivery/archive.ts'
export type { ResizedFrame } from './delivery/canvas.ts'
export { type DeliveredFrames, type Delivery, type ExpectedDelivery, readDelivery, readFrames } from './delivery/delivery.ts'
export { cutFrame as cutSheetFrame, parseSheetAtlas, type SheetAtlas, type SheetFrame } from './delivery/sheet-atlas.ts'
export { type ContactSheetOptions, makeContactSheet } from './drawing/contact-sheet.ts'
export { drawOverEarlier } from './drawing/onion.ts'
export { makePlaceholder, type PlaceholderOptions } from './drawing/placeholder.ts'
export { makeReviewSheet, type ReviewedAnimation } from './drawing/review-sheet.ts'
export { bleedColours } from './encode/bleed.ts'
export { encodePage, type PageEncoding, pngFault, readPage, readPicture, resize } from './encode/codec.ts'
export { encodeMoving } from './encode/moving.ts'
export type { TextureCodec } from './encode/texture.ts'
export { AtlasError, type AtlasErrorCode } from './errors.ts'
export {
  type Abilities,
  encodingsFor,
  type FormatName,
  formatNames,
  isFormatName,
  type PageFormat,
  pageFormats,
} from './format-abilities.ts'
export type { EncodedAtlas, EncodedPage, EngineFormat, OutputFile } from './formats/format.ts'
export { createGodotFormat, type GodotOptions } from './formats/godot.ts'
export { createPhaserFormat, type PhaserOptions } from './formats/phaser.ts'
export { createPhaserPctFormat } from './formats/phaser-pct.ts'
export { formats } from './formats/registry.ts'
export { type EncodeOptions, encodePages, pageFile, scaleSuffix } from './formats/shared/pages.ts'
export type { Borders, Canvas, Frame, FrameBox, FrameBoxes, FrameSequence } from './frame.ts'
export { type FoundBox, findBoxes, type SearchedFrame } from './frames/find-boxes.ts'
export { alphaHull, type HullOptions, type HullPoint } from './frames/hull.ts'
export { cutSequence } from './frames/pieces.ts'
export { cutPlaced, type EarlierFrame, type PlacedFrame } from './frames/placed-frame.ts'
export { type FitSize, figureSide, fitFactor, fitSize, scaleFrames, scaleSequence } from './frames/scale.ts'
export { type TrimmedFrame, type TrimOptions, trim } from './frames/trim.ts'
export { inWholeBlocks } from './layers/layers.ts'
export { type PageLists, pagesOf, variantsOf } from './layers/variants-of.ts'
export type { AtlasLayer, Looks, NormalOptions, Page, Ramp } from './looks.ts'
export { withOutlines } from './outlines.ts'
export { type Palette, readPalette } from './pixel/palette.ts'
export { gamutWarning } from './png/gamut.ts'
export type { PaletteMode } from './png/palette.ts'
export { type PictureFormat, type PictureInfo, pictureInfo } from './png/picture.ts'
export { decodePng, type PictureLimits } from './png/read.ts'
export { encodePng } from './png/write.ts'
export { inspectQuality } from './quality/quality.ts'
export type { QualityFault, QualityFigures, QualityFlag, QualityOptions, QualityReport } from './quality/report.ts'
export { type Move, type Stabilized, type StabilizeOptions, stabilize } from './quality/stabilize.ts'
export { type AnimatedInfo, animatedInfo, DEFAULT_FRAME_MS, readAnimated } from './source/animated.ts'
export { type Apng, type ApngInfo, type ApngLimits, apngInfo, readApng } from './source/apng.ts'
export type { AsepriteLimits } from './source/aseprite/budget.ts'
export type {
  AsepriteDirection,
  AsepriteFile,
  AsepriteFrame,
  AsepriteInfo,
  AsepriteRectangle,
  AsepriteSlice,
  AsepriteSliceKey,
  AsepriteTag,
} from './source/aseprite/file.ts'
export { asepriteInfo, readAseprite } from './source/aseprite/read.ts'
export { writeAseprite } from './source/aseprite/write.ts'
export { findTruePixels, type TruePixels, toTruePixels } from './true-pixels.ts'
export { alignSequences, sharedUnit, shrinkAtlas } from './variants.ts'
