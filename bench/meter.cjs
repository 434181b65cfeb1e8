// Preloaded into a measured process: writes its own CPU time and peak memory to the file that BENCH_METER names when it ends. As CommonJS, since a preloaded module would have Node load all others
// by its loader of modules, scripts too, which takes longer than an empty process.
const { readFileSync, writeFileSync } = require('node:fs')

const file = process.env.BENCH_METER
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeFileSync(file, JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMb: (peakKb() ?? maxRSS) / 1024 }))
})

/** On Linux the kernel's own mark: the other figure begins with that of the process that started this one. */
function peakKb() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) || undefined
  } catch {
    return undefined
  }
}
