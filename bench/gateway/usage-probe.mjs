// Loaded into a measured process: tells what it has used, whenever it is asked. JavaScript, because the compiler that Node loads for
// TypeScript would count as memory of the process.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000, residentMb: process.memoryUsage.rss() / 1024 / 1024 });
});
process.channel?.unref();
