// node assetpack.mjs <folder with sprites{tps}> <output> <cache folder>
import { AssetPack } from '@assetpack/core'
import { texturePacker } from '@assetpack/core/texture-packer'

const [entry, output, cacheLocation] = process.argv.slice(2)
await new AssetPack({
  entry,
  output,
  cacheLocation,
  logLevel: 'warn',
  pipes: [
    texturePacker({
      texturePacker: { padding: 2, nameStyle: 'relative' },
      resolutionOptions: { resolutions: { default: 1 }, template: '%%', maximumTextureSize: 2048 },
    }),
  ],
}).run()
