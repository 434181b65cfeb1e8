/** What the atlas is to reach, by corpus; ratios of one run, CPU seconds, megabytes. */
export const targets = {
  cold: {
    floor: { S: 1.5, M: 1.5, L: 1.5 },
    AssetPack: { S: 0.25, M: 0.1, L: 0.06 },
    'free-tex-packer': { S: 0.65, M: 0.5, L: 0.25 },
    peakMb: { M: 258, L: 600 },
    wallOfCpu: { L: 0.7 },
  },
  pack: { upright: { S: 0.91, M: 0.92, L: 0.945 }, turn: { S: 0.915, M: 0.925, L: 0.948 }, cpuMs: { S: 100, M: 500, L: 1500 } },
  bytes: { areaOfAssetPack: { M: 0.45 } },
  warm: { 'empty process': { S: 1.5, M: 1.5, L: 2 }, AssetPack: { S: 0.3, M: 0.25, L: 0.15 } },
  vite: { public: { S: 1.05, M: 1.05, L: 1.1 }, hooksMs: { S: 10, M: 20, L: 60 } },
  hot: { ofJson: 1.5 },
  changed: { cold: { M: 0.25 } },
}
