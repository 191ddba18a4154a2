/**
 * Commands that make a new root for a program, the best first. Their arguments are a mount point, links separated by spaces, pairs of a
 * letter and a path, `--`, and the command. They mount an empty file system in memory, copy the links into it, bind the paths (`r`
 * read-only, `w` writable, `d` a device), make it the root, unmount the old one, and execute the command. They run as root of a user
 * namespace, with which the bindings end, and exit with 126 on failure, which is no fault of the file.
 */
export const rootCommands = (): string[][] => [...perl(), ['sh', '-c', SHELL, 'sh']]

/** Numbers of system calls of Linux, by architecture: `mount`, `umount2` and `pivot_root`. That of `mount_setattr` is 442 everywhere. */
const CALLS: Partial<Record<string, string[]>> = { x64: ['165', '166', '155'], arm64: ['40', '39', '41'] }

/** One process, which takes a tenth of the time of the 25 programs that the shell starts. Needs Linux 5.12. */
function perl(): string[][] {
  const calls = process.platform === 'linux' ? CALLS[process.arch] : undefined
  return calls ? [['perl', '-e', PERL, ...calls]] : []
}

// Strings that perl gives to a system call must be variables. Only `mount_setattr` adds properties without a change of the others.
const PERL = `
my ($mount, $umount, $pivot, $root, $links) = splice @ARGV, 0, 5;
$SIG{__DIE__} = sub { print STDERR @_; exit 126 };
sub attach {
  my ($from, $to, $type, $flags, $data) = @_;
  syscall($mount + 0, $from, $to, $type, $flags, $data) == 0 or die "mount $to: $!";
}
sub restrict {
  my ($path, $flags, $properties) = @_;
  my $change = pack 'Q4', $properties, 0, 0, 0;
  syscall(442, -100, $path, $flags, $change, 32) == 0 or die "mount_setattr $path: $!";
}
sub folder {
  my $path = '';
  for (split '/', substr $_[0], 1) { $path .= "/$_"; -d $path or mkdir $path or die "mkdir $path: $!" }
}
my ($RECURSIVE, $BIND, $RDONLY, $NOSUID, $NODEV, $NOEXEC) = (0x8000, 0x5000, 1, 2, 4, 8);
my %properties = (r => $RDONLY | $NOSUID | $NODEV, w => $NOSUID | $NODEV | $NOEXEC);
attach('tmpfs', $root, 'tmpfs', 0, 'size=256k,mode=755');
for (split ' ', $links) { symlink readlink, "$root$_" or die "symlink $root$_: $!" }
folder("$root$_") for '/usr', '/etc/alternatives', '/dev', '/.old';
while ((my $kind = shift @ARGV) ne '--') {
  my $path = shift @ARGV;
  my $to = "$root$path";
  folder(-d $path ? $to : $to =~ s{/[^/]*$}{}r);
  -e $to or open my $file, '>', $to or die "$to: $!";
  attach($path, $to, '', $BIND, '');
  restrict($to, $RECURSIVE, $properties{$kind}) if $properties{$kind};
}
chdir $root or die "chdir $root: $!";
my ($new, $old) = ('.', '.old');
syscall($pivot + 0, $new, $old) == 0 or die "pivot_root: $!";
syscall($umount + 0, $old, 2) == 0 or die "umount: $!";
rmdir $old or die "rmdir: $!";
chdir '/';
restrict('/', 0, $RDONLY);
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!";
exit 127`

// `mount` and `umount` read /proc.
const SHELL = `set -eu
trap 'exit 126' EXIT
root=$1; links=$2; shift 2
mount -t tmpfs -o size=256k,mode=755 tmpfs "$root"
[ -z "$links" ] || cp -P $links "$root"
mkdir -p "$root/usr" "$root/etc/alternatives" "$root/dev" "$root/.old" "$root/proc"
while [ "$1" != -- ]; do
  to=$root$2
  if [ -d "$2" ]; then folder=$to; else folder=\${to%/*}; fi
  [ -d "$folder" ] || mkdir -p "$folder"
  [ -e "$to" ] || : > "$to"
  mount --rbind "$2" "$to"
  case $1 in
    r) mount -o remount,bind,ro,nosuid,nodev "$to" ;;
    w) mount -o remount,bind,nosuid,nodev,noexec "$to" ;;
  esac
  shift 2
done
shift
mount --rbind /proc "$root/proc"
cd "$root"
pivot_root . .old
umount -l /.old /proc
rmdir /.old /proc
mount -o remount,bind,ro /
trap - EXIT
exec "$@"`
