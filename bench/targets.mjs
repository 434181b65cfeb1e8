/** Targets of the atlas by corpus: ratios of one run, CPU seconds, megabytes. */
export const targets = {
  cold: {
    floor: { S: 1.6, M: 1.4, L: 1.6 },
    AssetPack: { S: 0.22, M: 0.07, L: 0.06 },
    'free-tex-packer': { S: 0.65, M: 0.5, L: 0.3 },
    peakMb: { M: 200, L: 600 },
  },
  pack: { upright: { S: 0.92, M: 0.93, L: 0.935 }, turn: { S: 0.92, M: 0.93, L: 0.935 }, cpuMs: { S: 100, M: 500, L: 1500 } },
  own: 1.05,
  fields: 1.5,
  bytes: { areaOfAssetPack: { M: 0.45 } },
  warm: { AssetPack: { S: 0.4, M: 0.35, L: 0.35 }, mcpS: 0.6 },
  vite: { public: { S: 1.15, M: 1.15, L: 1.25 } },
  hot: { ofJson: 1.5 },
  changed: { cold: { M: 0.5 } },
}
