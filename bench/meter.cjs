// Preloaded into a measured process. At the end, it writes the process's CPU time and peak memory to the file
// that BENCH_METER names. It is CommonJS: with a preloaded module, Node would load all files with its loader
// of modules, scripts too, which takes longer than an empty process.
const { readFileSync, writeFileSync } = require('node:fs')

const file = process.env.BENCH_METER
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeFileSync(file, JSON.stringify({ cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMb: (peakKb() ?? maxRSS) / 1024 }))
})

/** On Linux, the kernel's own peak. The other figure starts with that of the parent process. */
function peakKb() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) || undefined
  } catch {
    return undefined
  }
}
