import { accessSync, constants, readFileSync } from 'node:fs'

const MEMORY_MB = 2048

/**
 * Whether machines run on the processor itself. That /dev/kvm is there is not enough: on a virtual
 * machine without nested virtualisation it may be there for kernels made for it alone.
 */
export const hasHardwareHelp = () => {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK)
    return /^flags\s*:.* (vmx|svm)\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'))
  } catch {
    return false
  }
}

/** @param {string} id @param {string} file @param {string} options */
const drive = (id, file, options) => [
  ...['-drive', `file=${file.replaceAll(',', ',,')},if=none,id=${id},format=raw,${options}`],
  ...['-device', `virtio-blk-pci,drive=${id},serial=${id}`],
]

/**
 * The command line of a machine without a network, which talks over its standard input and output,
 * and whose first disk forgets what was written.
 *
 * @param {{ disk: string, kernel: string, initrd: string, checkout: string, packages: string, console: string }} files
 * @param {boolean} fast
 */
export const machineArguments = (files, fast) => [
  ...['-nodefaults', '-no-user-config', '-machine', 'q35', '-m', String(MEMORY_MB)],
  // Emulated processors that run at the same time now and then see each other's writes to code
  // too late, on which V8 ends.
  ...(fast
    ? ['-accel', 'kvm', '-cpu', 'host', '-smp', '2']
    : ['-accel', 'tcg,thread=single,tb-size=1024', '-cpu', 'max,la57=off', '-smp', '1']),
  ...['-display', 'none', '-nic', 'none', '-device', 'virtio-rng-pci'],
  ...['-chardev', `file,id=console,path=${files.console.replaceAll(',', ',,')}`],
  ...['-serial', 'chardev:console', '-chardev', 'stdio,id=lane,signal=off'],
  ...['-device', 'virtio-serial-pci', '-device', 'virtserialport,chardev=lane,name=berth.lane'],
  ...['-kernel', files.kernel, '-initrd', files.initrd],
  ...['-append', 'root=/dev/vda rw console=ttyS0 panic=-1 mitigations=off nokaslr nopti'],
  ...drive('system', files.disk, 'snapshot=on,cache=unsafe'),
  ...drive('checkout', files.checkout, 'readonly=on'),
  ...drive('packages', files.packages, 'readonly=on'),
]
