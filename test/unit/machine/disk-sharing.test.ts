import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { diskSharing } from '#adapters/node/machine/disk-sharing.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(makeDirectory)

const sys = (...parts: string[]): string => join(directory, 'sys', ...parts)
/** A disk, or with `of` a partition of one, as the kernel shows it below /sys. */
const block = (number: string, path: string, scheduler: string | null): string => {
  const at = sys('devices', path)
  mkdirSync(join(at, 'queue'), { recursive: true })
  writeFileSync(join(at, 'dev'), `${number}\n`)
  if (scheduler !== null) writeFileSync(join(at, 'queue/scheduler'), `${scheduler}\n`)
  mkdirSync(sys('dev/block'), { recursive: true })
  symlinkSync(at, sys('dev/block', number))
  return at
}
const ask = (device: string): string | null =>
  diskSharing(directory, {
    mounts: () => [{ mount: '/', device, type: 'ext4', root: '/', readOnly: false }],
    sys: sys(),
    groups: join(directory, 'groups'),
  })

describe('a disk', () => {
  it('shares its time out with BFQ alone, and the disk of a partition counts', () => {
    block('254:0', 'vda', '[mq-deadline] none bfq')
    block('254:16', 'vdb', 'mq-deadline none [bfq]')
    for (const [number, path] of [
      ['254:1', 'vda/vda1'],
      ['254:17', 'vdb/vdb1'],
    ] as const)
      writeFileSync(join(block(number, path, null), 'partition'), '1\n')
    expect(ask('254:0')).toBe('vda has the scheduler mq-deadline')
    expect(ask('254:1')).toBe('vda has the scheduler mq-deadline')
    expect(ask('254:16')).toBeNull()
    expect(ask('254:17')).toBeNull()
  })

  it('shares it out where io.cost is switched on for it', () => {
    block('8:0', 'sda', '[none]')
    mkdirSync(join(directory, 'groups'))
    const file = join(directory, 'groups/io.cost.qos')
    writeFileSync(file, '8:16 enable=1 ctrl=auto\n8:0 enable=0 ctrl=auto\n')
    expect(ask('8:0')).toBe('sda has the scheduler none')
    writeFileSync(file, '8:0 enable=1 ctrl=auto\n')
    expect(ask('8:0')).toBeNull()
  })

  it('beneath a mapped one is asked', () => {
    const mapped = block('253:0', 'dm-0', null)
    const disk = block('8:32', 'sdc', '[mq-deadline] bfq')
    mkdirSync(join(mapped, 'slaves'))
    symlinkSync(disk, join(mapped, 'slaves/sdc'))
    expect(ask('253:0')).toBe('sdc has the scheduler mq-deadline')
  })

  it('that nobody knows is not spoken of', () => {
    expect(ask('0:52')).toBeNull()
    expect(ask('7:0')).toBeNull()
  })
})
