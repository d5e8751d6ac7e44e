import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Keeps a server from having more connections than this. The oldest goes, and first one on which nothing is being asked: who only
 * holds them open, or never ends a question, cannot keep others from asking.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    idle.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      idle.delete(socket);
    });
    if (open.size <= most) return;
    const [oldest = socket] = [...idle, ...open].filter((one) => one !== socket);
    open.delete(oldest);
    idle.delete(oldest);
    oldest.destroy();
  });
  server.on("request", ({ socket }, response) => {
    idle.delete(socket);
    response.once("close", () => {
      if (open.has(socket)) idle.add(socket);
    });
  });
}
