import { type Judge, table, worst } from "./call.ts";
import { PIDS } from "./marks.ts";
import { readOptions } from "./options.ts";

/* Programs that change the machine, its accounts, its processes and what runs on it later. */

const disk: Judge = ({ args }) =>
  args.some((word) => /^(?:-V|--version|-h|--help|-l|--list)$/.test(word)) ? undefined : "disk-tool";

const mount: Judge = ({ args }) => (args.length === 0 || args.includes("-l") ? undefined : "disk-tool");

const account: Judge = () => "accounts";

/** A command of another user is judged as any other; only a shell of theirs is not. */
const power: Judge = ({ args }) => (args.includes("--help") ? undefined : "power");

const runLevel: Judge = ({ args }) => (/^[0-6sS]$/.test(args[0] ?? "") ? "power" : undefined);

const SERVICE_LOOKS = new Set(
  "status show list-units list-unit-files list-timers is-active is-enabled is-failed cat help --version --help".split(
    " ",
  ),
);
const SERVICE_POWER = new Set(
  "poweroff reboot halt kexec suspend hibernate emergency rescue isolate exit".split(" "),
);
const SERVICE_STARTS = new Set("enable reenable preset link add-wants set-default unmask".split(" "));

const services: Judge = ({ args }) => {
  const [verb = ""] = readOptions(args, ["H", "M", "t", "p", "n"]).operands;
  if (verb === "" || SERVICE_LOOKS.has(verb)) return undefined;
  if (SERVICE_POWER.has(verb)) return "power";
  return SERVICE_STARTS.has(verb) ? "start-file" : "services";
};

const service: Judge = ({ args }) =>
  ["status", undefined].includes(args[1]) || args[0] === "--status-all" ? undefined : "services";

const launch: Judge = ({ args }) => {
  const [verb = ""] = args;
  if (["list", "print", "help", ""].includes(verb)) return undefined;
  return ["load", "bootstrap", "enable", "submit"].includes(verb) ? "start-file" : "services";
};

const firewall: Judge = ({ args }) => {
  const looks =
    /^(?:-L|-S|--list|--list-rules|-n|-v|--version|status|list|show|ruleset|verbose|--state|--list-all)$/;
  return args.every((word) => looks.test(word)) ? undefined : "network";
};

const address: Judge = ({ args }) => {
  const changes = /^(?:add|del|delete|set|flush|replace|change|down|up)$/;
  return args.some((word) => changes.test(word)) ? "network" : undefined;
};

const kernelSetting: Judge = ({ args }) =>
  args.some((word) => /^(?:-w|--write|-p|--load|--system)/.test(word) || word.includes("="))
    ? "kernel"
    : undefined;

const kernel: Judge = () => "kernel";

const setsOnly: Judge = ({ args }) => (args.some((word) => word.startsWith("set-")) ? "kernel" : undefined);

const hostName: Judge = ({ args }) => (readOptions(args).operands.length > 0 ? "kernel" : undefined);

const packages: Judge = ({ args }) => {
  const removes =
    /^(?:remove|purge|autoremove|erase|uninstall|del|dist-upgrade|full-upgrade|-R\w*|-e|--erase|-r|--remove|-P|--purge)$/;
  return args.some((word) => removes.test(word)) ? "remove-packages" : undefined;
};

const kill: Judge = ({ args }) => {
  const options = readOptions(args, ["s", "n", "signal"]);
  if (options.has("l", "L", "list")) return undefined;
  const afterDashes = args.includes("--") ? args.slice(args.indexOf("--") + 1) : [];
  // The first word with a dash is the signal; a later one is a process group.
  const groups = args.filter((word, index) => index > 0 && /^-\d+$/.test(word));
  const targets = [...options.operands, ...afterDashes, ...groups];
  const isOthers = (word: string) =>
    ["1", "0", "-1", "$PPID", "-$PPID"].includes(word) || word.includes(PIDS) || word.startsWith("/proc");
  return targets.some(isOthers) ? "kill-others" : undefined;
};

/** By a name that many have, everybody's are ended; by a whole line with its arguments, one's own. */
const killByName: Judge = ({ name, args }) => {
  const options = readOptions(args, ["u", "U", "g", "P", "s", "t", "signal", "user", "euid", "parent"]);
  if (options.has("l", "list", "V", "version", "help", "0")) return undefined;
  if (options.has("u", "U", "user", "euid") || options.operands.length === 0) return "kill-others";
  const isOwnLine = name === "pkill" && options.has("f", "full") && options.operands.every(isLine);
  return isOwnLine ? undefined : "kill-others";
};

function isLine(pattern: string): boolean {
  return /[\s/.:]/.test(pattern) && pattern.length > 8 && !/ralph|claude|codex/i.test(pattern);
}

const killUsers: Judge = ({ args }) =>
  readOptions(args, ["n"]).has("k", "kill") && args.some((word) => word.startsWith("/"))
    ? "kill-others"
    : undefined;

const cron: Judge = ({ args }) => (readOptions(args, ["u"]).has("l") ? undefined : "schedule");

const later: Judge = ({ args }) => (args.some((word) => /^-[lc]$|^-V$/.test(word)) ? undefined : "schedule");

const transient: Judge = ({ args }) =>
  args.some((word) => /^--(?:on-|timer-property|unit=)/.test(word)) ? "schedule" : undefined;

const capabilities: Judge = () => "setuid";

const intoSystem: Judge = () => "start-file";

const defaults: Judge = ({ args }) =>
  /^(?:write|delete|import)$/.test(args[0] ?? "") ? "kernel" : undefined;

const partition: Judge = (call) => {
  const { args } = call;
  return worst([args.includes("print") || args.includes("-l") ? undefined : disk(call)]);
};

/** What they are judged by. */
export const MACHINE_JUDGES = table([
  ["fdisk sfdisk cfdisk sgdisk gdisk parted gparted", partition],
  [
    "mkfs mke2fs mkswap mkdosfs newfs wipefs blkdiscard hdparm tune2fs resize2fs debugfs badblocks swapon swapoff",
    disk,
  ],
  [
    "lvremove vgremove pvremove lvreduce lvresize pvcreate vgcreate lvcreate mdadm cryptsetup dmsetup losetup",
    disk,
  ],
  ["umount pivot_root kpartx ddrescue", disk],
  ["mount", mount],
  [
    "useradd adduser userdel deluser usermod groupadd addgroup groupdel delgroup groupmod gpasswd passwd chpasswd",
    account,
  ],
  ["chsh chfn vipw vigr visudo su newgrp login pkexec dscl sysadminctl", account],
  ["setcap", capabilities],
  ["shutdown reboot poweroff halt", power],
  ["init telinit", runLevel],
  ["systemctl", services],
  ["service rc-service", service],
  ["launchctl", launch],
  ["iptables ip6tables iptables-restore nft ufw firewall-cmd ebtables pfctl", firewall],
  ["ip ifconfig route nmcli", address],
  ["sysctl", kernelSetting],
  ["modprobe insmod rmmod kexec setenforce", kernel],
  ["hostnamectl timedatectl localectl", setsOnly],
  ["hostname", hostName],
  ["apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk snap", packages],
  ["kill", kill],
  ["killall killall5 pkill skill xkill", killByName],
  ["fuser", killUsers],
  ["crontab", cron],
  ["at batch", later],
  ["systemd-run", transient],
  ["update-rc.d chkconfig rc-update", intoSystem],
  ["defaults", defaults],
]);
