"""nbdkit python plugin: a disk with a volatile write cache, and a power cut.

Writes are acknowledged into the cache; a flush makes them durable. Writing "cut SEED KEEP" into the file named by
$POWERCUT_CONTROL cuts the power: each unflushed 512-byte sector survives with probability KEEP, the rest are lost.
The counts appear in $POWERCUT_CONTROL.out as JSON. From then on writes and flushes fail, until "on" is written: a flush that the cut
overtook must not be answered.

  POWERCUT_CONTROL=ctl nbdkit -U disk.sock python faults/powercut.py &
  nbdfuse disk.img --unix disk.sock &
  losetup --direct-io=on --find --show disk.img        # then mkfs, mount, run, cut, umount, mount again, verify
"""
import builtins, errno, json, os, random

API_VERSION = 2
SIZE = int(os.environ.get("POWERCUT_BYTES", 256 * 1024 * 1024))
SECTOR = 512
CONTROL = os.environ["POWERCUT_CONTROL"]
durable = bytearray(SIZE)
volatile = {}  # sector number -> acknowledged bytes that no flush has covered
stats = dict(writes=0, flushes=0, cuts=0)
power = True


def obey_control():
    global power
    if not os.path.exists(CONTROL):
        return
    with builtins.open(CONTROL) as control:
        command = control.read().split()
    os.unlink(CONTROL)
    if command == ["on"]:
        power = True
        with builtins.open(CONTROL + ".out", "w") as out:
            out.write(json.dumps(stats))
        return
    if not command or command[0] != "cut":
        return
    chance, keep = random.Random(int(command[1])), float(command[2])
    pending, kept = len(volatile), 0
    for sector, content in volatile.items():
        if chance.random() < keep:
            durable[sector * SECTOR:(sector + 1) * SECTOR] = content
            kept += 1
    volatile.clear()
    power = False
    stats["cuts"] += 1
    with builtins.open(CONTROL + ".out", "w") as out:
        out.write(json.dumps(dict(stats, pending=pending, kept=kept)))


def open(readonly):
    return 1


def require_power():
    obey_control()
    if not power:
        import nbdkit
        nbdkit.set_error(errno.EIO)
        raise RuntimeError("the power is off")


def get_size(handle):
    return SIZE


def can_write(handle):
    return True


def can_flush(handle):
    return True


def thread_model():
    import nbdkit
    return nbdkit.THREAD_MODEL_SERIALIZE_ALL_REQUESTS


def pread(handle, buffer, offset, flags):
    obey_control()
    length = len(buffer)
    out = bytearray(durable[offset:offset + length])
    for sector in range(offset // SECTOR, (offset + length + SECTOR - 1) // SECTOR):
        content = volatile.get(sector)
        if content is not None:
            start, end = max(sector * SECTOR, offset), min((sector + 1) * SECTOR, offset + length)
            out[start - offset:end - offset] = content[start - sector * SECTOR:end - sector * SECTOR]
    buffer[:] = out


def pwrite(handle, buffer, offset, flags):
    require_power()
    stats["writes"] += 1
    content = bytes(buffer)
    assert offset % SECTOR == 0 and len(content) % SECTOR == 0
    for start in range(0, len(content), SECTOR):
        volatile[(offset + start) // SECTOR] = content[start:start + SECTOR]


def flush(handle, flags):
    require_power()
    stats["flushes"] += 1
    for sector, content in volatile.items():
        durable[sector * SECTOR:(sector + 1) * SECTOR] = content
    volatile.clear()
