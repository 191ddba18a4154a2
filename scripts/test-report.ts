import type { Reporter, TestModule } from 'vitest/node'

const SLOWEST = 20
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`.padStart(8)

/** Prints the time of each tier and the slowest tests at the end of a run. */
export default class TestReport implements Reporter {
  private readonly began = new Map<string, number>()
  private readonly ended = new Map<string, number>()

  onTestModuleStart({ project }: TestModule): void {
    if (!this.began.has(project.name)) this.began.set(project.name, Date.now())
  }

  onTestModuleEnd({ project }: TestModule): void {
    this.ended.set(project.name, Date.now())
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((file) =>
      [...file.children.allTests()].map((test) => ({ file, test, ms: test.diagnostic()?.duration ?? 0 })),
    )
    const slowest = tests.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
    console.log(`\nThe ${slowest.length} slowest tests:`)
    for (const { file, test, ms } of slowest) console.log(`${seconds(ms)}  ${file.relativeModuleId} > ${test.fullName}`)
    console.log('\nTiers:')
    for (const [tier, began] of this.began) {
      const own = tests.filter(({ file }) => file.project.name === tier)
      const files = modules.filter(({ project }) => project.name === tier).length
      const wall = (this.ended.get(tier) ?? began) - began
      console.log(
        `${seconds(wall)}  ${tier}: ${own.length} tests in ${files} files, ${seconds(own.reduce((sum, { ms }) => sum + ms, 0)).trim()} inside tests`,
      )
    }
  }
}
